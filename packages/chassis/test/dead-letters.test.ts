import { randomUUID } from "node:crypto";
import { openPool, type Pool } from "@lango/postgres";
import { setUp } from "@lango/testkit/set-up";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openFloor } from "./shop-floor.ts";

// what the platform's owner decides about events that failed is on record in a domain service, or not done

const floor = setUp(openFloor);
let owner: Pool;
beforeAll(async () => {
	owner = openPool({ url: floor.database.ownerUrl, name: "test", sizeMax: 1 });
});
afterAll(() => owner.close());

/** Lays an event among the dead letters as the inbox does after its last try. */
async function die(type = "oven.broke"): Promise<string> {
	const [row] = await owner.query<{ position: bigint }>(
		`insert into deliveries (consumer, event_id, type, subject, body, received_at, attempts, is_held, reason, dead_at)
		 values ('bakery', $1, $2, 'oven 7', '{}', now(), 10, true, 'it is broken', now()) returning position`,
		[randomUUID(), type],
	);
	return String(row?.position);
}
const decide = (method: "POST" | "DELETE", path: string, token: string) =>
	floor.call({ method, url: `/api/v1/platform/dead-letters/${path}`, token });
const root = (sub: string) => floor.token(floor.tenants.lango, "superuser", { sub });
const actions = () =>
	owner.query(
		"select action, subject, actor_kind, actor_id, detail, address from platform_audit_log order by id",
	);

test("redriving or discarding a dead letter writes an audit entry; a refused request and an unknown dead letter write none", async () => {
	const sub = randomUUID();
	const [first, second] = [await die(), await die()];
	expect((await decide("DELETE", first, floor.token(floor.tenants.uhai, "admin"))).status).toBe(403);
	for (const path of ["0", "1000"]) expect((await decide("DELETE", path, root(sub))).status).toBe(404);
	expect(await actions()).toEqual([]);
	expect((await decide("POST", `${first}/redrive`, root(sub))).status).toBe(202);
	expect((await decide("DELETE", second, root(sub))).status).toBe(204);
	const actor = { actor_kind: "user", actor_id: sub, address: "127.0.0.1" };
	const detail = { type: "oven.broke", subject: "oven 7", reason: "it is broken" };
	expect(await actions()).toMatchObject([
		{ ...actor, action: "dead_letter.redriven", subject: first, detail },
		{ ...actor, action: "dead_letter.discarded", subject: second, detail },
	]);
});

test("dead letters are listed by type, page by page", async () => {
	const letters = [await die("oven.cooled"), await die(), await die("oven.cooled")];
	const list = async (query: string) => {
		const url = `/api/v1/platform/dead-letters?${query}`;
		const { body } = await floor.call({ method: "GET", url, token: root(randomUUID()) });
		return body as { items: Array<{ id: string }>; next_cursor: string | null };
	};
	const first = await list("type=oven.cooled&limit=1");
	expect(first.items.map(({ id }) => id)).toEqual([letters[0]]);
	const second = await list(`type=oven.cooled&limit=1&cursor=${first.next_cursor}`);
	expect(second).toMatchObject({ items: [{ id: letters[2] }], next_cursor: null });
	expect((await list("type=oven")).items).toEqual([]);
});

test("an action is rolled back if its audit entry cannot be written", async () => {
	const id = await die();
	await owner.query("revoke insert on platform_audit_log from lango_app");
	const refused = [
		await decide("DELETE", id, root(randomUUID())),
		await decide("POST", `${id}/redrive`, root(randomUUID())),
	];
	await owner.query("grant insert on platform_audit_log to lango_app");
	expect(refused.map(({ status }) => status)).toEqual([500, 500]);
	expect(
		await owner.query("select from deliveries where position = $1 and dead_at is not null", [id]),
	).toHaveLength(1);
});
