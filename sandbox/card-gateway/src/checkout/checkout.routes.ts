import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import Type, { type Static } from "typebox";
import { html, sendPage } from "../answers/html.ts";
import { Refusal } from "../answers/refusal.ts";
import { channels } from "../fees/fee.ts";
import type { Gateway } from "../gateway.ts";
import type { Transaction } from "../records/tables.ts";
import { checkoutPage } from "./checkout-page.ts";
import { actions, openCheckout, payCheckout, returnAddress } from "./pay-checkout.ts";

/** What a payer chose: the fields of the form, and the body of the same by `/_control`. */
export const choiceShape = Type.Object({
	action: Type.Enum([...actions], { type: "string" }),
	channel: Type.Enum([...channels], { type: "string" }),
	card_number: Type.Optional(Type.String({ pattern: "^[0-9 ]{12,23}$", maxLength: 23 })),
	expiry: Type.Optional(Type.String({ pattern: "^(0?[1-9]|1[0-2])/(\\d{2}|\\d{4})$", maxLength: 7 })),
	phone: Type.Optional(Type.String({ maxLength: 20 })),
});
type Choice = Static<typeof choiceShape>;

/** What the payer chose, as the operation takes it. */
export const readChoice = ({ card_number: cardNumber, ...choice }: Choice) => ({
	...choice,
	...(cardNumber !== undefined && { cardNumber: cardNumber.replaceAll(" ", "") }),
});

type Params = { Params: { access_code: string } };
type Pages = { gateway: Gateway; answered: () => Promise<void> };

/** The hosted checkout: `authorization_url`. */
export function installCheckout(app: FastifyInstance, { gateway, answered }: Pages): void {
	void app.register((scope, _options, done) => {
		scope.setErrorHandler(sendProblem);
		const url = "/checkout/:access_code";
		scope.get<Params>(url, { schema: { hide: true } }, ({ params }, reply) =>
			sendCheckout(reply, gateway, openCheckout(gateway, params.access_code)),
		);
		scope.post<Params & { Body: Choice }>(
			url,
			{ schema: { hide: true, body: choiceShape } },
			async ({ params, body }, reply) => {
				const opened = openCheckout(gateway, params.access_code);
				const paid = payCheckout(gateway, opened, readChoice(body));
				const fault = gateway.takeFault("checkout", "callback_before_ack");
				if (fault !== undefined) await answered();
				const address = isOver(paid) ? returnAddress(paid) : null;
				return reply.redirect(address ?? `/checkout/${paid.accessCode}`, 303);
			},
		);
		done();
	});
}

/** After a refused attempt the payer stays at the checkout and can try again. */
const isOver = ({ status }: Transaction) => ["success", "abandoned"].includes(status);

const sendCheckout = (reply: FastifyReply, gateway: Gateway, transaction: Transaction) =>
	sendPage(reply, { title: "Checkout · sandbox", content: checkoutPage(gateway, transaction) });

/** An error as a page; others than the caller's go on to the handler of the whole program. */
export function sendProblem(
	error: FastifyError,
	_request: FastifyRequest,
	reply: FastifyReply,
): FastifyReply {
	const status = error instanceof Refusal ? error.status : (error.statusCode ?? 500);
	if (status >= 500) throw error;
	const content = html`<h1>This did not work</h1><p role="alert">${error.message}</p>`;
	return sendPage(reply.code(status), { title: "Checkout · sandbox", content });
}
