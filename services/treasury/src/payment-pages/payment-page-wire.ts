import { Uuid } from "@lango/contracts";
import Type, { type Static } from "typebox";
import { AmountMinor, Currency, toMinor } from "../money/amount.ts";
import { type PaymentPage, paymentPageStatuses } from "./payment-page.ts";

const orNull = <const T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

/** What a tenant notes at a page, and finds again in its payments. */
export const PageMetadata = Type.Record(
	Type.String({ pattern: "^[a-z0-9_]{1,40}$" }),
	Type.String({ maxLength: 200 }),
	{
		maxProperties: 20,
		description: "Found again in the metadata of the payment requests that the page makes",
	},
);

/** A payment page. */
export const PaymentPageWire = Type.Object({
	id: Uuid,
	status: Type.Enum([...paymentPageStatuses], {
		type: "string",
		description:
			"creating: the gateway has not answered, and is not asked again. Make another page with a new Idempotency-Key",
	}),
	link: { ...orNull(Type.String()), description: "The address of the page, for payers" },
	name: Type.String(),
	description: Type.String(),
	amount_minor: { ...orNull(AmountMinor), description: "Null: the payer chooses it" },
	currency: Currency,
	metadata: PageMetadata,
	failure_code: { ...orNull(Type.String()), description: "The gateway's code of why it failed" },
	created_at: Type.String({ format: "date-time" }),
});

/** A payment page as the API shows it. */
export const toPaymentPageWire = (page: PaymentPage): Static<typeof PaymentPageWire> => ({
	...{ id: page.id, status: page.status, link: page.link, name: page.name, description: page.description },
	amount_minor: page.amountMinor === null ? null : toMinor(page.amountMinor),
	...{ currency: page.currency, metadata: { ...page.metadata }, failure_code: page.failureCode },
	created_at: page.createdAt.toISOString(),
});
