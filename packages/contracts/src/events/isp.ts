import Type from "typebox";
import { event } from "./event.ts";

const source = "/isp";
const text = (options: object = {}) => Type.String({ minLength: 1, maxLength: 500, ...options });
const Amount = Type.Union([Type.Number(), text()], {
	description: "A number is formatted in the language of the message; text is shown as sent",
});
const Expiry = text({ description: "A time of RFC 3339 is formatted; other text is shown as sent" });
const Customer = Type.Object(
	{
		id: text(),
		name: text(),
		email: Type.Optional(text()),
		phone: Type.Optional(text()),
		locale: Type.Optional(text()),
	},
	{ description: "Who gets the message; a channel without an address is noted in the run" },
);

export const ispSubscriptionActivated = event({
	type: "isp.subscription.activated",
	source,
	subject: "customer",
	because: "a customer of an internet provider has a subscription, with the credentials to use it",
	data: Type.Object({
		customer: Customer,
		username: text(),
		password: text(),
		package_name: text(),
		package_type: text(),
		expiry_at: Expiry,
	}),
	sensitive: ["password"],
});

export const ispPaymentReceived = event({
	type: "isp.payment.received",
	source,
	subject: "customer",
	because: "a customer of an internet provider paid",
	data: Type.Object({
		customer: Customer,
		amount: Amount,
		currency: text(),
		package_name: text(),
		expiry_at: Expiry,
	}),
});

export const ispSubscriptionRenewed = event({
	type: "isp.subscription.renewed",
	source,
	subject: "customer",
	because: "the subscription of a customer of an internet provider was renewed",
	data: Type.Object({ customer: Customer, package_name: text(), package_type: text(), expiry_at: Expiry }),
});

export const ispSubscriptionExpiring = event({
	type: "isp.subscription.expiring",
	source,
	subject: "customer",
	because: "the subscription of a customer of an internet provider ends soon",
	data: Type.Object({ customer: Customer, package_name: text(), expiry_at: Expiry, days_remaining: Amount }),
});

export const ispCreditLow = event({
	type: "isp.credit.low",
	source,
	subject: "tenant",
	because: "the SMS credit of an internet provider is low, in a system outside the suite",
	data: Type.Object({ tenant_name: text(), balance: Amount, threshold: Amount }),
});
