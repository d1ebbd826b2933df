import { actorOf, callerOf, permit, type Route, route, tenantWide } from "@lango/chassis";
import { Uuid } from "@lango/contracts";
import Type from "typebox";
import { CheckoutBody, checkoutResponses, readCheckout, toCheckoutWire } from "../checkouts/checkout-wire.ts";
import { startCheckout } from "../checkouts/start-checkout.ts";
import type { Treasury } from "../treasury.ts";
import { requireIntent } from "./intent.routes.ts";

/** The route that opens the card gateway's page for an intent. */
export const checkoutRoutes = (domain: Treasury): readonly Route[] => [
	route({
		outlets: tenantWide("payments are the tenant's"),
		access: permit("treasury.payments.change"),
		own: true,
		method: "POST",
		url: "/intents/:id/checkout",
		schema: {
			summary: "Opens the card gateway's page where an intent is paid",
			description:
				"Send the payer's browser to the address of the answer, and follow the intent until it is paid. While a checkout waits for its payer it is returned again, by 200.",
			tags: ["intents"],
			params: Type.Object({ tenant: Type.String(), id: Uuid }),
			body: CheckoutBody,
			response: checkoutResponses,
		},
		handler: async (request, reply) => {
			const intent = await requireIntent(domain, request, request.params.id);
			const requestedBy = actorOf(callerOf(request)).id;
			const asked = { intent, requestedBy, ...readCheckout(request.body) };
			const { code, body } = toCheckoutWire(await startCheckout(domain, asked));
			return reply.code(code).send(body);
		},
	}),
];
