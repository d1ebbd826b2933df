import { readKeyEncryptionKeys } from "@lango/tokens";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createVault } from "../../src/addresses/sealed-address.ts";
import { listSendingProviders, savePlatformProvider } from "../../src/providers/account.store.ts";
import { addCallCounts } from "../../src/providers/health.store.ts";
import { weighProviders } from "../../src/providers/weigh-providers.ts";
import { encryptionKeys, type Office, openOffice } from "../office.ts";

let office: Office;
const vault = createVault(readKeyEncryptionKeys(encryptionKeys));
const ids: Record<string, string> = {};
const start = new Date("2026-11-24T08:00:30Z");
const after = (minutes: number) => new Date(start.getTime() + minutes * 60_000);
beforeAll(async () => {
	office = await openOffice();
	for (const name of ["first", "second"])
		ids[name] = await savePlatformProvider(
			office.database.db,
			{
				...{
					channel: "sms",
					kind: "africastalking",
					name,
					restingWeight: 50,
					perSecond: 10,
					inFlightMax: 10,
				},
				credentials: vault.sealCredentials({ credentials: { username: "u", apiKey: "k" } }),
				createdBy: "test",
			},
			start,
		);
});
afterAll(() => office.close());

const weights = async () => {
	const found = await listSendingProviders(office.database.db, { tenantId: office.uhai.id, channel: "sms" });
	return Object.fromEntries(found.map(({ name, weight }) => [name, weight]));
};
const events = async () =>
	(
		await office.database.db.query<{ envelope: { type: string; data: { name: string } } }>(
			"select envelope from outbox where envelope->>'type' like 'notifications.provider.%' order by id",
		)
	).map(({ envelope: { type, data } }) => `${type} ${data.name}`);

test("a provider with more than 50 errors in a minute loses weight, and regains it when it works; both are published once", async () => {
	const { db } = office.database;
	const minute = new Date("2026-11-24T08:00:00Z");
	const failing = { providerId: ids["first"] ?? "", minute, sent: 3, errors: 30, slow: 0 };
	await addCallCounts(db, [failing]);
	await addCallCounts(db, [failing]);
	await weighProviders(db, after(1));
	expect(await weights()).toEqual({ first: 40, second: 50 });
	await weighProviders(db, after(2));
	expect(await weights()).toEqual({ first: 40, second: 50 });
	await weighProviders(db, after(17));
	expect(await weights()).toEqual({ first: 50, second: 50 });
	expect(await events()).toEqual([
		"notifications.provider.degraded first",
		"notifications.provider.recovered first",
	]);
});
