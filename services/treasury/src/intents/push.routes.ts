import { actorOf, callerOf, permit, type Route, route, tenantWide } from "@lango/chassis";
import { FailureBody, Shape, Uuid } from "@lango/contracts";
import Type from "typebox";
import { AttemptStatusWire } from "../payments/intent-wire.ts";
import { requestPush } from "../prompts/request-push.ts";
import type { Treasury } from "../treasury.ts";
import { requireIntent } from "./intent.routes.ts";

/** The route by which a phone is asked to pay an intent. */
export const pushRoutes = (domain: Treasury): readonly Route[] => [
	route({
		outlets: tenantWide("payments are the tenant's"),
		access: permit("treasury.payments.change"),
		own: true,
		method: "POST",
		url: "/intents/:id/push",
		schema: {
			summary: "Asks a phone to pay an intent",
			description:
				"The payer confirms with their PIN. Follow the intent until it is paid. A phone is asked once at a time (prompt_live, retry_after_seconds).",
			tags: ["intents"],
			params: Type.Object({ tenant: Type.String(), id: Uuid }),
			body: Shape({ phone: Type.String({ minLength: 9, maxLength: 20, examples: ["0712 345 678"] }) }),
			response: { 202: Type.Object({ attempt_id: Uuid, status: AttemptStatusWire }), 409: FailureBody },
		},
		handler: async (request, reply) => {
			const { tenantId, id: intentId, payee } = await requireIntent(domain, request, request.params.id);
			const { phone } = request.body;
			const asked = { tenantId, intentId, payee, phone, requestedBy: actorOf(callerOf(request)).id };
			const { id, status } = await requestPush(domain, asked);
			return reply.code(202).send({ attempt_id: id, status });
		},
	}),
];
