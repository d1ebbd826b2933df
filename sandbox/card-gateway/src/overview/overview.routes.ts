import type { Deliveries } from "@lango/sandbox-base";
import type { FastifyInstance } from "fastify";
import type { Gateway } from "../gateway.ts";
import { balancesOf } from "../ledger/move.ts";

const shownMax = 50;
const eventsMax = 20;

/** What the page at `/` shows: what is new, and what waits for somebody. */
export function installOverview(
	app: FastifyInstance,
	{ gateway, deliveries }: { gateway: Gateway; deliveries: Deliveries },
): void {
	const { store, switches, settings } = gateway;
	app.get("/_control/overview", { schema: { hide: true } }, () => ({
		now: gateway.now().toISOString(),
		webhook_url: switches.webhookUrl ?? null,
		is_otp_required: switches.isOtpRequired,
		balances: balancesOf(gateway),
		transactions: store.newest("transactions", { max: shownMax }).map((transaction) => ({
			reference: transaction.reference,
			status: transaction.status,
			amount: transaction.amount,
			currency: transaction.currency,
			email: store.get("customers", "id", transaction.customerId).email,
			checkout: `${settings.publicUrl}/checkout/${transaction.accessCode}`,
		})),
		events: deliveries
			.list()
			.slice(-eventsMax)
			.reverse()
			.map(({ at, operation, state, answered, attempts }) => ({ at, operation, state, answered, attempts })),
		disputes: store
			.listOf("disputes", "status", "awaiting-merchant-feedback")
			.slice(-shownMax)
			.map(({ id, amount, currency, transactionId, dueAt }) => ({
				...{ id, amount, currency, due_at: dueAt },
				reference: store.get("transactions", "id", transactionId).reference,
			})),
		transfers: store
			.listOf("transfers", "status", "otp")
			.slice(-shownMax)
			.map(({ reference, code, amount, currency, recipientId, otp }) => ({
				...{ reference, transfer_code: code, amount, currency, otp },
				recipient: store.get("recipients", "id", recipientId).name,
			})),
	}));
}
