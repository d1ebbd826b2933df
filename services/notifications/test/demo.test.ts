import { inTenant } from "@lango/postgres";
import { type MessagesSandbox, startMessagesSandbox } from "@lango/sandbox-messages";
import { afterAll, beforeAll, expect, test } from "vitest";
import { getCredit } from "../src/credits/credit.store.ts";
import { changePack, listPacks } from "../src/credits/pack.store.ts";
import { seedDemoNotifications } from "../src/demo.ts";
import { encryptionKeys, greeting, type Office, openOffice } from "./office.ts";
import { control, truth } from "./providers/sandbox.ts";

let [office, sandbox] = [undefined as unknown as Office, undefined as unknown as MessagesSandbox];
beforeAll(async () => {
	office = await openOffice({
		NOTIFICATIONS_DISPATCH: "on",
		NOTIFICATIONS_PUBLIC_URL: "https://notify.lango.example/",
	});
	sandbox = await startMessagesSandbox({ port: 0, smtpPort: 0 });
	await seed();
});
afterAll(() => Promise.all([office.close(), sandbox.stop()]));

const seed = () =>
	seedDemoNotifications(office.database.db, {
		now: new Date(),
		tenants: [office.uhai],
		environment: {
			NOTIFICATIONS_KEY_ENCRYPTION_KEYS: encryptionKeys,
			MESSAGES_SANDBOX_PORT: new URL(sandbox.url).port,
			MESSAGES_SANDBOX_SMTP_PORT: String(sandbox.smtpPort),
		},
	});
const creditOf = () => inTenant(office.database.db, office.uhai.id, (tx) => getCredit(tx, office.uhai.id));

test("the demo hospital has 500 segments, however often the demo is made", async () => {
	await seed();
	expect(await creditOf()).toMatchObject({ balance: 500, reserved: 0 });
});

test("the demo has packs on sale for KES, and one that the platform owner withdrew stays withdrawn", async () => {
	const onSale = () => listPacks(office.database.db, { isAll: false, after: undefined, limit: 10 });
	const packs = await onSale();
	expect(packs.map(({ code, currency }) => [code, currency])).toEqual([
		["sms_100", "KES"],
		["sms_500", "KES"],
		["sms_2000", "KES"],
	]);
	const [first, ...others] = packs;
	if (first === undefined) throw new Error("the demo has no packs");
	await changePack(office.database.db, { ...first, isOnSale: false }, new Date());
	await seed();
	expect(await onSale()).toEqual(others);
});

test("its text messages go to both imitated vendors, its mails to the mail server, and credit is settled", async () => {
	const phones = Array.from({ length: 40 }, (_, at) => `+2547123400${10 + at}`);
	const { body } = await office.send(office.uhai, greeting(phones, { channel: "sms" }));
	expect(body.status).toBe("accepted");
	await office.send(office.uhai, greeting(["amina@uhai.example"]));
	await control(sandbox, "GET /control/wait?count=41&outcome=accepted");
	const items: Array<{ kind: string; address: string }> = await truth(sandbox);
	expect([...new Set(items.map(({ kind }) => kind))].toSorted()).toEqual([
		"africastalking",
		"smtp",
		"twilio",
	]);
	const sent = items.filter(({ kind }) => kind !== "smtp").map(({ address }) => address);
	expect(sent.toSorted()).toEqual(phones);
	await expect.poll(async () => (await creditOf()).reserved).toBe(0);
	expect((await creditOf()).balance).toBe(460);
});

test("the sandbox knows the webhooks that vendors have in their own settings", async () => {
	const url = expect.stringMatching(/^http:\/\/localhost:4002\/webhooks\/[0-9a-f-]{36}\?token=.{20}/);
	expect(await control(sandbox, "GET /control/webhooks")).toEqual({
		africastalking: { url },
		whatsapp_cloud: { url, secret: "sandbox" },
	});
});

test("a mail of a report arrives with both unsubscribe headers, whose link is at the public address and works", async () => {
	await control(sandbox, "DELETE /control/truth");
	const report = {
		...{ name: "Asha", report_name: "Sales", report_type: "daily", generated_at: "2026-01-01T00:00:00Z" },
		...{ date_range: "January", download_link: "https://lango.example/r", retention_days: 7 },
	};
	const to = "reports@uhai.example";
	const mail = greeting([to], { template: "reports/report_ready", data: report });
	expect((await office.send(office.uhai, mail)).status).toBe(202);
	await control(sandbox, "GET /control/wait?count=1&outcome=accepted");
	const [item] = await truth(sandbox);
	expect(item).toMatchObject({ kind: "smtp", addresses: [to] });
	const { headers } = await control(sandbox, `GET /api/messages/${item.id}`);
	const of = new Map<string, string>(headers);
	expect(of.get("List-Unsubscribe-Post")).toBe("List-Unsubscribe=One-Click");
	const link = /^<(https:\/\/notify\.lango\.example\/public\/unsubscribe\?t=[^>]+)>$/.exec(
		of.get("List-Unsubscribe") ?? "",
	);
	const { pathname, search } = new URL(link?.[1] ?? "");
	const answer = await office.app.inject({
		...{ method: "POST", url: `${pathname}${search}`, payload: "List-Unsubscribe=One-Click" },
		headers: { "content-type": "application/x-www-form-urlencoded" },
	});
	expect(answer.statusCode).toBe(200);
	const rows = await inTenant(office.database.db, office.uhai.id, (tx) =>
		tx.query("select category, reason from suppressions"),
	);
	expect(rows).toEqual([{ category: "reports", reason: "unsubscribe" }]);
});
