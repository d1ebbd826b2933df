import type { Gateway } from "../gateway.ts";
import { codeOf } from "../records/codes.ts";
import type { Authorization, Customer } from "../records/tables.ts";

/** The customer with this e-mail address, which is added if it is not known. */
export function customerOf({ store, ids }: Gateway, email: string, phone: string | null = null): Customer {
	const found = store.find("customers", "email", email.toLowerCase());
	if (found !== undefined) return found;
	return store.add("customers", (ordinal) => ({
		ordinal,
		id: 181_873_000 + ordinal,
		code: `CUS_${codeOf(ids, { purpose: "customer", ordinal })}`,
		email: email.toLowerCase(),
		phone,
	}));
}

/** A customer as answers and events show it. */
export const toCustomer = ({ id, email, code, phone }: Customer) => ({
	id,
	first_name: null,
	last_name: null,
	email,
	customer_code: code,
	phone,
	metadata: null,
	risk_action: "default",
	international_format_phone: null,
});

/** An authorization as answers and events show it; an empty object without one. */
export const toAuthorization = (authorization: Authorization | undefined) =>
	authorization === undefined
		? {}
		: {
				authorization_code: authorization.code,
				bin: authorization.bin,
				last4: authorization.last4,
				exp_month: authorization.expMonth,
				exp_year: authorization.expYear,
				channel: authorization.channel,
				card_type: authorization.channel === "card" ? `${authorization.brand} ` : "",
				bank: authorization.bank,
				country_code: "KE",
				brand: authorization.brand,
				reusable: authorization.isReusable,
				signature: authorization.signature,
				account_name: null,
			};
