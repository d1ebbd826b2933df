import { randomUUID } from "node:crypto";
import { inTenant } from "@lango/postgres";
import { expect, test } from "vitest";
import { issueCallbackToken } from "../src/inbox/callback-token.store.ts";
import { callbackUrl, hashCallbackToken } from "../src/inbox/callback-token.ts";
import { findLocator } from "../src/payments/locator.store.ts";
import { addTenant, setUpDatabase } from "./treasury-database.ts";

const database = setUpDatabase();
const now = new Date("2026-11-26T08:00:00Z");

test("a callback token is found by its hash only, names its tenant, and is hex, which the gateway accepts", async () => {
	const { db } = database;
	const tenantId = await addTenant(db);
	const [profileId, objectId] = [randomUUID(), randomUUID()];
	const about = { tenantId, profileId, route: "callback", objectKind: "attempt", objectId } as const;
	const token = await inTenant(db, tenantId, (tx) =>
		issueCallbackToken(tx, { ...about, expiresAt: undefined }, now),
	);
	expect(token).toMatch(/^[0-9a-f]{32}$/);
	expect(callbackUrl("https://pay.example", { route: "callback", profileId, token })).toBe(
		`https://pay.example/webhooks/mobilemoney/callback/${profileId}/${token}`,
	);
	expect(await findLocator(db, "callback_token", token)).toBeUndefined();
	const found = await findLocator(db, "callback_token", hashCallbackToken(token));
	expect(found?.tenantId).toBe(tenantId);
	const [row] = await inTenant(db, tenantId, (tx) =>
		tx.query("select route, object_kind, object_id from callback_tokens where id = $1", [found?.objectId]),
	);
	expect(row).toEqual({ route: "callback", object_kind: "attempt", object_id: objectId });
});
