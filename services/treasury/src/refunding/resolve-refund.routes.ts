import { actorOf, callerOf, originOf, platformOwner, type Route, route, tenantWide } from "@lango/chassis";
import { FailureBody, Name, Shape, Uuid } from "@lango/contracts";
import Type from "typebox";
import { RefundWire, toRefundWire } from "../refunds/refund-wire.ts";
import type { Treasury } from "../treasury.ts";
import { resolveRefund } from "./resolve-refund.ts";

/** The operator's decision about a refund of which the gateway does not say what became of it. */
export const resolveRefundRoutes = (domain: Treasury): readonly Route[] => [
	route({
		access: platformOwner(),
		outlets: tenantWide("refunds are decided by the platform"),
		subscription: { exempt: "the platform owner decides regardless of the tenant's subscription" },
		method: "POST",
		url: "/api/v1/platform/refunds/:id/resolve",
		schema: {
			summary: "Decides what became of a refund that waits for the platform owner",
			description:
				"The gateway is asked once more first; if it can be asked and does not answer, nothing fails. As failed it gives the money back, and takes two operators: after the first one the refund has proposed_by, and another one sends the same within 24 hours.",
			tags: ["refunds"],
			params: Type.Object({ id: Uuid }),
			body: Shape({ as: Type.Enum(["processed", "failed"], { type: "string" }), because: Name(300) }),
			response: { 200: RefundWire, 403: FailureBody, 404: FailureBody, 409: FailureBody, 503: FailureBody },
		},
		handler: async (request) => {
			const { as, because } = request.body;
			const by = { actor: actorOf(callerOf(request)), ...originOf(request) };
			return toRefundWire(await resolveRefund(domain, { refundId: request.params.id, as, because, by }));
		},
	}),
];
