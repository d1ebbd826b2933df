import { buildService } from "@lango/chassis";
import { openStand, printOutlets, printPolicy, type Stand, walkForeign, walkTotals } from "@lango/testkit";
import { mintApiKey } from "@lango/tokens";
import { afterAll, beforeAll, expect, test } from "vitest";
import { notifications } from "../src/service.ts";
import { catalogueRows } from "./catalogue-rows.ts";
import { encryptionKeys } from "./office.ts";
import { policy } from "./policy.ts";

let stand: Stand;
beforeAll(async () => {
	stand = await openStand({
		service: notifications,
		build: buildService,
		rows: catalogueRows,
		plan: { limits: { max_emails_per_day: -1 } },
		environment: {
			NOTIFICATIONS_KEY_ENCRYPTION_KEYS: encryptionKeys,
			NOTIFICATIONS_LINKS_READ_KEY: mintApiKey().text,
			NOTIFICATIONS_RECIPIENTS_READ_KEY: mintApiKey().text,
			NOTIFICATIONS_USAGE_REPORT_KEY: mintApiKey().text,
			NOTIFICATIONS_DISPATCH: "off",
			NOTIFICATIONS_STREAM_SECONDS: "1",
		},
	});
}, 120_000);
afterAll(() => stand.close());

test("every route responds to every kind of caller as recorded in access.txt", async () => {
	await expect(await printPolicy(stand, policy)).toMatchFileSnapshot("access.txt");
}, 120_000);

test("the total of a list is the number of its items", async () => {
	const { called, wrong } = await walkTotals(stand, policy);
	expect(wrong).toEqual([]);
	expect(called).toBeGreaterThan(2);
}, 60_000);

test("another tenant and its records are not found, on any route, by slug or by id", async () => {
	const { called, answered } = await walkForeign(stand, policy);
	expect(answered).toEqual([]);
	expect(called).toBeGreaterThan(50);
}, 120_000);

test("every route limits people and keys to their outlets as recorded in outlets.txt", async () => {
	await expect(await printOutlets(stand, policy)).toMatchFileSnapshot("outlets.txt");
}, 120_000);
