import type { FastifyInstance } from "fastify";
import Type, { type Static } from "typebox";
import { amountShape, apiRoute, currencyShape, nameShape, textShape } from "../answers/api-route.ts";
import { html, printAmount, sendPage } from "../answers/html.ts";
import { invalidParameter, notFound } from "../answers/refusal.ts";
import { sendProblem } from "../checkout/checkout.routes.ts";
import type { Gateway } from "../gateway.ts";
import type { PaymentPage } from "../records/tables.ts";
import { initializeTransaction } from "../transactions/initialize-transaction.ts";
import { createPage, toPage } from "./payment-page.ts";

const newPage = Type.Object({
	name: nameShape,
	description: Type.Optional(textShape),
	amount: Type.Optional(Type.Union([Type.Null(), amountShape])),
	currency: Type.Optional(currencyShape),
	metadata: Type.Optional(Type.Unknown()),
});

/** Payment pages, §4.4. */
export const pageRoutes = [
	apiRoute({
		operation: "create_page",
		method: "POST",
		url: "/page",
		summary: "Make a page at which anybody can pay",
		body: newPage,
		answer: (gateway, { body: { currency = "KES", ...page } }) => ({
			message: "Page created",
			data: toPage(gateway, createPage(gateway, { ...page, currency })),
		}),
	}),
];

const payment = Type.Object({
	email: Type.String({ format: "email", maxLength: 254 }),
	/** In units, as a person types it. */
	amount: Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: 10_000_000_000 })),
});

/** The page itself: asks for what is missing, and continues at the checkout. */
export function installPaymentPages(app: FastifyInstance, gateway: Gateway): void {
	const pageOf = (slug: string): PaymentPage => {
		const found = gateway.store.find("pages", "slug", slug);
		if (found === undefined) throw notFound("Page");
		return found;
	};
	void app.register((scope, _options, done) => {
		scope.setErrorHandler(sendProblem);
		scope.get<Slug>("/pay/:slug", { schema: { hide: true } }, ({ params }, reply) => {
			const page = pageOf(params.slug);
			return sendPage(reply, { title: `${page.name} · sandbox`, content: contentOf(page) });
		});
		scope.post<Slug & { Body: Static<typeof payment> }>(
			"/pay/:slug",
			{ schema: { hide: true, body: payment } },
			({ params, body }, reply) => {
				const { slug, currency, metadata, amount } = pageOf(params.slug);
				if (amount === null && body.amount === undefined) throw invalidParameter("Choose an amount");
				const { accessCode } = initializeTransaction(gateway, {
					amount: amount ?? Math.round((body.amount ?? 0) * 100),
					email: body.email,
					currency,
					metadata,
					pageSlug: slug,
				});
				return reply.redirect(`/checkout/${accessCode}`, 303);
			},
		);
		done();
	});
}

type Slug = { Params: { slug: string } };
const contentOf = ({ name, description, amount, currency }: PaymentPage) => html`
<p class="note">Sandbox: no money moves.</p>
<h1>${name}</h1>
<p>${description}</p>
<form method="post">
<label>E-mail <input name="email" type="email" required autocomplete="email"></label>
${
	amount === null
		? html`<label>Amount (${currency}) <input name="amount" type="number" min="0.01" step="0.01" required></label>`
		: html`<p><b>${printAmount(amount, currency)}</b></p>`
}
<button class="primary">Continue</button>
</form>`;
