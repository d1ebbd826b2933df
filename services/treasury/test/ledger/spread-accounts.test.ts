import { acrossTenants, inTenant } from "@lango/postgres";
import { setUp } from "@lango/testkit/set-up";
import { beforeAll, expect, test } from "vitest";
import { postJournals } from "../../src/ledger/ledger.store.ts";
import { collectByPlatformShortcode } from "../../src/ledger/postings/collecting.ts";
import { listAudited } from "../gateways/list-audited.store.ts";
import { openTill } from "../till.ts";
import { type Book, journalOf } from "./book.ts";
import { findViolations } from "./invariants.ts";

const till = setUp(openTill);
const unknownId = "00000000-0000-4000-8000-000000000000";

const operator = (method: string, path: string, body?: object) =>
	till.call({
		...{ method, url: `/api/v1/platform/accounts${path}`, body },
		token: till.token(till.tenants.lango, "superuser"),
	});

const collect = () => {
	const { id } = till.tenants.uhai;
	const posting = collectByPlatformShortcode({ shortcode: "174379", amountMinor: 70n, currency: "KES" });
	return inTenant(till.database.db, id, (tx) => postJournals(tx, id, [journalOf(posting)]));
};

const read: Book["read"] = (text, values) => acrossTenants(till.database.db, (tx) => tx.query(text, values));

type Account = { id: string; code: string; shards: number; balance_minor: number };

/** The account of what a tenant paid to the platform and did not use. */
async function unapplied(): Promise<Account> {
	const { body } = await operator("GET", `?tenant_id=${till.tenants.uhai.id}`);
	const found = (body["items"] as Account[]).find(({ code }) => code === "unapplied");
	if (found === undefined) throw new Error("there is no account");
	return found;
}

beforeAll(collect);

test("the operator gives a busy account eight shards while journals are posted, and no balance changes by that", async () => {
	const { id, shards } = await unapplied();
	expect(shards).toBe(1);
	const posted = Array.from({ length: 40 }, collect);
	const answer = await operator("PUT", `/${id}/shards`, { shards: 8 });
	expect(answer).toMatchObject({ status: 200, body: { id, code: "unapplied", shards: 8 } });
	await Promise.all(posted);
	await Promise.all(Array.from({ length: 20 }, collect));
	expect(await unapplied()).toMatchObject({ shards: 8, balance_minor: 61 * 70 });
	expect(await findViolations({ read })).toEqual([]);
	const { id: tenant_id } = till.tenants.uhai;
	const [audited] = await listAudited(till.database.db, "account.spread");
	expect(JSON.parse(audited ?? "{}")).toEqual({ code: "unapplied", tenant_id, from: 1, to: 8 });
});

test("shards are never taken away, and an account has 64 at most", async () => {
	const { id } = await unapplied();
	await operator("PUT", `/${id}/shards`, { shards: 8 });
	const codes = [4, 65].map(
		async (shards) => (await operator("PUT", `/${id}/shards`, { shards })).body["code"],
	);
	expect(await Promise.all(codes)).toEqual(["shards_not_fewer", "invalid_input"]);
	expect((await unapplied()).shards).toBe(8);
});

test("an account that does not exist is not found", async () => {
	expect(await operator("PUT", `/${unknownId}/shards`, { shards: 8 })).toMatchObject({
		...{ status: 404, body: { code: "account_not_found" } },
	});
});
