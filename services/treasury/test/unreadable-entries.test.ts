import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setUp } from "@lango/testkit/set-up";
import { afterEach, expect, test } from "vitest";
import { openCards } from "./refunding/card-payments.ts";
import { openSettling } from "./settling.ts";
import { bringForward } from "./till.ts";

/** Calls whose lists begin with entries that cannot be read. */
let drifting: RegExp | undefined;

/** A treasury whose card gateway is the sandbox with such lists. */
const till = setUp(async () => {
	const opened = await openSettling();
	const server = createServer(async (request, response) => {
		const chunks: Buffer[] = [];
		for await (const chunk of request) chunks.push(chunk as Buffer);
		const { method = "", url = "", headers } = request;
		const answer = await fetch(`${opened.cardGateway.url}${url}`, {
			...{ method, ...(method === "POST" && { body: Buffer.concat(chunks) }) },
			headers: { authorization: String(headers.authorization), "content-type": "application/json" },
		});
		const body = (await answer.json()) as { data: unknown[] };
		const isDrifting = method === "GET" && drifting?.test(url) === true;
		const shown = isDrifting ? { ...body, data: [null, { id: null }, ...body.data] } : body;
		response.writeHead(answer.status, { "content-type": "application/json" }).end(JSON.stringify(shown));
	}).listen(0, "127.0.0.1");
	await once(server, "listening");
	await opened.database.db.query("update gateway_profiles set base_url = $1 where kind = 'card_gateway'", [
		`http://127.0.0.1:${(server.address() as AddressInfo).port}`,
	]);
	const close = async () => {
		await opened.close();
		server.close();
	};
	return { ...opened, close };
});
afterEach(() => {
	drifting = undefined;
});

/** Runs a comparison of the days around. Returns what became of it. */
async function compare(kind: string) {
	const range = { from: new Date(Date.now() - 86_400_000), to: new Date(Date.now() + 86_400_000) };
	const { body } = await till.asOperator("POST", "reconciliation/runs", { body: { kind, ...range } });
	await till.service.jobs.runDue();
	const { items } = (await till.asOperator("GET", "reconciliation/runs")).body;
	return (items as Array<Record<string, unknown>>).find(({ id }) => id === body["id"]);
}

const failed = { state: "failed", failure: "gateway_refused" };

test("a charge that cannot be read fails the comparison, after all other charges, and disputes, were compared", async () => {
	const { reference } = await openCards(till).pay();
	await till.cards("PUT", "/_control/faults", [{ operation: "charge.dispute.create", fault: "drop" }]);
	await till.cards("POST", "/_control/dispute", { reference });
	const intentId = await till.charge({ isLost: true });
	drifting = /^\/transaction\?/;
	expect(await compare("transactions")).toMatchObject(failed);
	expect(await till.receiptOf(intentId)).toMatchObject({ is_settled: false });
	expect((await till.balances(till.tenants.uhai))["tenant.disputed"]).toBe(100_000);
	drifting = undefined;
	expect(await compare("transactions")).toMatchObject({ state: "done" });
});

test("a settlement that cannot be read fails the comparison, after all others were settled", async () => {
	const intentId = await till.charge();
	await till.cards("POST", "/_control/settle");
	drifting = /^\/settlement\?/;
	expect(await compare("settlements")).toMatchObject(failed);
	expect(await till.receiptOf(intentId)).toMatchObject({ is_settled: true });
});

test("a settlement with a charge that cannot be read settles the others, is not compared with them, and is read again after an hour", async () => {
	const { db } = till.database;
	const intentId = await till.charge();
	await till.cards("POST", "/_control/settle");
	drifting = /^\/settlement\/[^/]+\/transactions\?/;
	expect(await compare("settlements")).toMatchObject({ state: "done" });
	expect(await till.receiptOf(intentId)).toMatchObject({ is_settled: true });
	const [settlement, ...others] = await db.query<{ id: string; state: string; next: Date }>(
		"select id, state, next_check_at as next from settlements where listed_at is null",
	);
	expect(others).toEqual([]);
	expect(settlement?.state).toBe("paid");
	expect(settlement?.next.getTime()).toBeGreaterThan(Date.now() + 3_000_000);
	expect(await till.exceptions("state=open")).toEqual([]);
	drifting = undefined;
	await db.query("update settlements set next_check_at = now() - interval '1 hour' where id = $1", [
		settlement?.id,
	]);
	await bringForward(db, 3_600);
	await till.recover();
	expect(await db.query("select state from settlements where id = $1", [settlement?.id])).toEqual([
		{ state: "matched" },
	]);
});
