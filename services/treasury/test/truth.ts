import { randomUUID } from "node:crypto";
import { inTenant } from "@lango/postgres";
import { openSettling } from "./settling.ts";
import { waitForQuiet } from "./wait-for-quiet.ts";

type Settling = Awaited<ReturnType<typeof openSettling>>;
type Drop = "charge.success" | "charge.dispute.create" | "refund.processed" | "transfer.success";

/**
 * Starts a till for a tenant whose money moves at both gateways, also such that what would say so is lost,
 * and whose books are reconciled afterwards.
 */
export async function openTruth() {
	const till = await openSettling();
	const { uhai, lango } = till.tenants;
	await till.registerUrls(uhai);
	await till.registerUrls(lango);
	// So that no payout waits for money at the gateway.
	await till.cards("POST", "/_control/top-up", { amount: 10_000_000 });
	return { ...till, ...(await acting(till)), ...reconciling(till), books: () => booksOf(till) };
}

const setFaults = async (till: Settling, gateway: "cards" | "sandbox", rules: readonly object[]) => {
	await till[gateway]("PUT", "/_control/faults", rules as unknown as object);
};

const checker = randomUUID();

/** Asks as the person who makes payouts, or as the one who approves them. */
const asking =
	({ call, token, tenants: { uhai } }: Settling, sub?: string) =>
	(method: string, path: string, body?: object) =>
		call({
			...{ method, url: `/api/v1/${uhai.slug}/treasury/${path}` },
			token: token(uhai, "admin", sub === undefined ? {} : { sub }),
			...{ body, headers: { "idempotency-key": randomUUID() } },
		});

let phones = 0;

/** What people do. */
async function acting(till: Settling) {
	const ask = asking(till);
	const account = { type: "bank", name: "Uhai Hospital", account_number: "100000010001", bank_code: "11" };
	const { body: recipient } = await ask("POST", "recipients", { ...account, currency: "KES" });
	await inTenant(till.database.db, till.tenants.uhai.id, (tx) =>
		tx.query(
			"update recipients set created_at = (created_at at time zone 'UTC' - interval '2 days') at time zone 'UTC'",
		),
	);
	return {
		/** Loses the next event of a kind. */
		lose: (operation: Drop) => setFaults(till, "cards", [{ operation, fault: "drop", count: 1 }]),
		/** A phone accepts a prompt. */
		async prompt({ isLost = false } = {}): Promise<void> {
			const request = { amount_minor: 70_000, currency: "KES", description: "Order 17", channels: ["push"] };
			const { body } = await ask("POST", "intents", request);
			if (isLost) await setFaults(till, "sandbox", [{ operation: "push", fault: "drop", count: 1 }]);
			await ask("POST", `intents/${body["id"]}/push`, { phone: `2547${String(20_000 + ++phones)}001` });
		},
		/** Asks to refund a part of the newest payment by card. */
		async refund(amount_minor: number): Promise<void> {
			const { body } = await ask("GET", "payments");
			const items = body["items"] as Array<{ id: string; channel: string }>;
			const payment = items.find(({ channel }) => channel === "card");
			if (payment !== undefined)
				await ask("POST", "refunds", { payment_id: payment.id, amount_minor, reason: "A mistake" });
		},
		/** A payer by card disputes a new charge, and the gateway decides. */
		async dispute(resolution: "declined" | "merchant-accepted"): Promise<void> {
			const { body: intent } = await ask("GET", `intents/${await till.charge()}`);
			const [{ reference = "" } = {}] = intent["attempts"] as Array<{ reference?: string }>;
			const { id } = await till.cards("POST", "/_control/dispute", { reference });
			await till.cards("POST", `/_control/disputes/${id}/resolve`, { resolution });
		},
		/** Pays a phone from the tenant's shortcode, as far as it has the money. */
		async payPhone({ isLost = false } = {}): Promise<void> {
			const body = { rail: "mobile_money", kind: "customer", to: "0712345678", amount_minor: 15_000 };
			const asked = await ask("POST", "payouts", { ...body, remarks: "Wages" });
			if (isLost) await setFaults(till, "sandbox", [{ operation: "payout", fault: "drop", count: 1 }]);
			await asking(till, checker)("POST", `payouts/${asked.body["id"]}/approve`);
		},
		/** Asks to pay out all that is available. */
		payOut: () => ask("POST", "payouts", { rail: "card_gateway", recipient_id: recipient["id"] }),
	};
}

const dayMs = 86_400_000;

/** What happens until nothing is open. */
function reconciling(till: Settling) {
	return {
		/** Lets an hour and more pass, until nothing is open that is not lost for good. */
		async quiesce(): Promise<void> {
			for (const gateway of ["cards", "sandbox"] as const) await setFaults(till, gateway, []);
			await waitForQuiet(till, 2);
			for (const seconds of [40, 150, 700, 4_000]) {
				await till.wait(seconds);
				await waitForQuiet(till, 2);
			}
			await till.fetchNow();
			await till.recover();
			// Tokens are valid for an hour.
			till.clock.now = undefined;
			for (const gateway of [till.cards, till.sandbox])
				await gateway("PUT", "/_control/clock", { now: null });
		},
		/** Compares everything, posts each journal that is proposed, and accepts fees: they are corrected. */
		async reconcile(): Promise<void> {
			const range = { from: new Date(Date.now() - dayMs), to: new Date(Date.now() + dayMs) };
			for (const kind of ["settlements", "transactions", "balances", "expectations"]) {
				await till.asOperator("POST", "reconciliation/runs", { body: { kind, ...range } });
				await waitForQuiet(till, 1);
			}
			const open = await till.exceptions("state=open");
			for (const { id, proposed } of open.filter(
				(one) => one["proposed"] !== null || one["class"] === "fee",
			)) {
				const body = { as: proposed === null ? "waived" : "posted", because: "A test." };
				const resolved = await till.asOperator("POST", `reconciliation/exceptions/${id}/resolve`, { body });
				const { adjustment_id } = resolved.body;
				if (typeof adjustment_id === "string")
					await till.asOperator("POST", `adjustments/${adjustment_id}/approve`, { operator: "brian" });
			}
			await waitForQuiet(till, 2);
		},
	};
}

/** What each shortcode has at the gateway. */
async function floatsOf(till: Settling): Promise<Record<string, number>> {
	const { items } = await till.sandbox("GET", "/_control/shortcodes");
	const shortcodes = items as Array<{ shortcode: string; utility_minor: number; working_minor: number }>;
	return Object.fromEntries(shortcodes.map((one) => [one.shortcode, one.utility_minor + one.working_minor]));
}

/** What the books have, and what both gateways have. */
async function booksOf(till: Settling) {
	const ours = await till.platform();
	const { "mm.float.600200": own = 0 } = await till.balances(till.tenants.uhai);
	const { balances } = await till.cards("GET", "/_control/ledger");
	const truth = (balances as Record<string, Record<string, number>>)["KES"] ?? {};
	const floats = await floatsOf(till);
	return {
		ours: {
			...{ unsettled: ours["card.unsettled"] ?? 0, balance: ours["card.balance"] ?? 0 },
			...{ bank: ours["bank"] ?? 0, platform: ours["mm.float.600100"] ?? 0, own },
		},
		truth: {
			...{ unsettled: truth["unsettled"] ?? 0, balance: truth["balance"] ?? 0, bank: truth["bank"] ?? 0 },
			...{ platform: floats["600100"] ?? 0, own: floats["600200"] ?? 0 },
		},
	};
}
