import { createHmac } from "node:crypto";

/** The key that signs the webhooks of the bench. */
export const secretKey = "sk_test_bench";
const amount = 100_000;
const fees = 3_500;

/** The reference of the nth attempt of `addAttempts`. */
export const referenceOf = (n: number): string => `pay-${n.toString(16).padStart(32, "0")}`;
/** The ordinal of an attempt of `addAttempts`. */
export const ordinalOf = (attemptId: string): number => Number.parseInt(attemptId.slice(-12), 16);

/**
 * The bytes of a webhook: the nth attempt is paid. It has the members that the gateway sends, about 1,400
 * bytes.
 */
export function chargeOf(n: number): { body: string; signature: string } {
	const at = new Date().toISOString();
	const customer = {
		...{ id: 180_673_325 + n, first_name: "Amina", last_name: "Otieno", email: "amina@bench.example" },
		...{ customer_code: `CUS_${n.toString(36).padStart(15, "0")}`, phone: null, metadata: null },
		...{ risk_action: "default", international_format_phone: null },
	};
	const authorization = {
		...{ authorization_code: `AUTH_${n.toString(36).padStart(10, "0")}`, bin: "408408", last4: "4081" },
		...{ exp_month: "12", exp_year: "2030", channel: "card", card_type: "visa ", bank: "TEST BANK" },
		...{ country_code: "KE", brand: "visa", reusable: true, signature: "SIG_yEXu7dLBeqG0kU7g95Ke" },
		...{ account_name: null, receiver_bank_account_number: null, receiver_bank: null },
	};
	const data = {
		...{ id: 4_099_260_516 + n, domain: "test", status: "success", reference: referenceOf(n), amount },
		...{ message: null, gateway_response: "Successful", paid_at: at, created_at: at, channel: "card" },
		...{
			currency: "KES",
			ip_address: "192.0.2.1",
			metadata: "",
			fees,
			fees_split: null,
			fees_breakdown: null,
		},
		...{ log: null, authorization, customer, plan: {}, subaccount: {}, split: {}, order_id: null },
		...{ paidAt: at, requested_amount: amount, pos_transaction_data: null, source: null },
	};
	const body = JSON.stringify({ event: "charge.success", data });
	return { body, signature: createHmac("sha512", secretKey).update(body).digest("hex") };
}
