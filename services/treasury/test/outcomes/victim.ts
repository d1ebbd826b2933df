import { acrossTenants, inTenant } from "@lango/postgres";
import { expect, vi } from "vitest";
import { getProfile } from "../../src/gateways/profiles/profile.store.ts";
import { issueCallbackToken } from "../../src/inbox/callback-token.store.ts";
import { addBill } from "../add-bill.ts";
import { newPhone, type Till } from "../till.ts";

/** A request of a gateway that was true when it was sent. */
type Sent = { url: string; body: string };

/** What somebody may learn about payments of a tenant, and then say about them. */
export type Victim = {
	profileId: string;
	/** A debt whose payer was prompted, and has opened the page of the card gateway. */
	open: {
		account: string;
		phone: string;
		checkoutRequestId: string;
		merchantRequestId: string;
		reference: string;
	};
	/** The number of a receipt, and the reference of a charge, that were counted. */
	counted: { receipt: string; reference: string };
	/** The ids of a question whose answer did not come. */
	question: { originatorId: string; conversationId: string };
	/** Tokens of the open prompt, of a paid one and of shortcodes, and one that is over. */
	tokens: { own: string; paid: string; shortcode: string; otherShortcode: string; over: string };
	/** What the gateways have sent. */
	sent: Sent[];
};

/** Gives a tenant open and paid debts at both gateways, and a question that is not answered. */
export async function openVictim(till: Till): Promise<Victim> {
	const { uhai, kahawa } = till.tenants;
	for (const tenant of [uhai, kahawa]) await till.registerUrls(tenant);
	const { id: profileId } = await getProfile(till.database.db, "mobile_money");
	const ask = async (path: string, body?: object) => {
		const url = `/api/v1/${uhai.slug}/treasury/${path}`;
		const answer = await till.call({ method: "POST", url, body, token: till.token(uhai, "admin") });
		if (answer.status > 202) throw new Error(`${path} answered ${answer.status} ${answer.body["code"]}`);
		return answer.body;
	};
	const intent = () => inTenant(till.database.db, uhai.id, (tx) => addBill(tx, uhai.id, { payee: "tenant" }));
	const checkOut = ({ id }: { id: string }) => ask(`intents/${id}/checkout`, { email: "amina@example.com" });

	const paid = await intent();
	await ask(`intents/${paid.id}/push`, { phone: newPhone("accepts") });
	await till.wait(10);
	const bought = await checkOut(await intent());
	await till.cards("POST", `/_control/checkouts/${bought["access_code"]}`, {
		action: "pay",
		channel: "card",
	});
	const receipt = await till.payAtCounter({ shortcode: "600200", amountMinor: 50_000 });
	await till.payAtCounter({ shortcode: "600300", amountMinor: 50_000 });
	await untilCounted(till, 4);

	const open = await intent();
	const phone = newPhone("is silent");
	await ask(`intents/${open.id}/push`, { phone });
	const page = await checkOut(open);
	await till.sandbox("PUT", "/_control/faults", [{ operation: "balance", fault: "drop", count: 1 }]);
	await ask("mobile-money/balance");

	const rows = <R extends Record<string, unknown>>(text: string, values: unknown[] = []) =>
		inTenant(till.database.db, uhai.id, (tx) => tx.query<R>(text, values));
	const [attempt] = await rows<{ id: string; checkout: string; merchant: string }>(
		`select id, checkout_request_id as checkout, merchant_request_id as merchant
		   from attempts where intent_id = $1 and channel = 'push'`,
		[open.id],
	);
	const [question] = await rows<Victim["question"]>(
		`select gateway_originator_id as "originatorId", gateway_conversation_id as "conversationId" from gateway_queries`,
	);
	if (attempt === undefined || question === undefined) throw new Error("there is nothing to forge");
	const issue = (expiresAt: Date | undefined) =>
		inTenant(till.database.db, uhai.id, (tx) => {
			const about = { route: "callback", objectKind: "attempt", objectId: attempt.id } as const;
			return issueCallbackToken(tx, { tenantId: uhai.id, profileId, ...about, expiresAt }, new Date());
		});
	const sent = await listSent(till);
	const tokenOf = (route: string, part: string) =>
		sent.find(({ url, body }) => url.includes(`/${route}/`) && body.includes(part))?.url.slice(-32) ?? "";
	return {
		...{ profileId, sent, question },
		open: {
			...{ account: open.accountCode, phone, reference: String(page["reference"]) },
			...{ checkoutRequestId: attempt.checkout, merchantRequestId: attempt.merchant },
		},
		counted: { receipt, reference: String(bought["reference"]) },
		tokens: {
			...{ own: await issue(undefined), over: await issue(new Date(0)), paid: tokenOf("callback", "") },
			shortcode: tokenOf("confirmation", '"600200"'),
			otherShortcode: tokenOf("confirmation", '"600300"'),
		},
	};
}

/** What was sent, without the answer that was lost: the question must stay open. */
async function listSent(till: Till): Promise<Sent[]> {
	const both = await Promise.all([
		till.sandbox("GET", "/_control/deliveries"),
		till.cards("GET", "/_control/deliveries"),
	]);
	return both.flatMap(({ items }) => items as Sent[]).filter(({ url }) => !url.includes("/balance-result/"));
}

const untilCounted = (till: Till, receipts: number) =>
	vi.waitFor(
		async () => {
			await till.service.jobs.runDue();
			const rows = await acrossTenants(till.database.db, (tx) => tx.query("select from receipts"));
			expect(rows).toHaveLength(receipts);
		},
		{ timeout: 10_000, interval: 50 },
	);
