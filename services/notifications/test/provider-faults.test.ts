import { inTenant } from "@lango/postgres";
import { ensureTenant } from "@lango/tenancy";
import { setUp } from "@lango/testkit/set-up";
import { expect, test } from "vitest";
import { saveProvider } from "../src/accounts/provider.store.ts";
import { type Arrival, type Delivery, openTruth, untilEnded, vault } from "./ground-truth.ts";
import { greeting } from "./office.ts";
import { control, truth } from "./providers/sandbox.ts";

const opened = setUp(() => openTruth());

const ways = [
	["africastalking", "sms", "sandbox-africastalking"],
	["twilio", "sms", "sandbox-twilio"],
	["twilio", "whatsapp", "own"],
	["whatsapp_cloud", "whatsapp", "sandbox-whatsapp"],
] as const;
/** Eight phones of a way to send. */
const phonesOf = (provider: string) => {
	const way = ways.findIndex(([, , name]) => name === provider);
	return Array.from({ length: 8 }, (_, at) => `+2547123510${way}${at}`);
};
const addTenant = () => opened.office.tenant({ limits: { max_emails_per_day: -1 }, features: ["whatsapp"] });

/** Sends through all of them while they fail. */
async function sendAll(): Promise<{ rows: Delivery[]; arrivals: Arrival[] }> {
	const { office, sandbox } = opened;
	const tenant = addTenant();
	const path = (of: string) => `/api/v1/${tenant.slug}/notifications${of}`;
	const token = office.token(tenant, "admin");
	const contents = ["sms", "whatsapp"].map((channel) => ({ channel, locale: "en", source: "Welcome" }));
	const template = { path: "own/notice", category: "general", variables: [], samples: {}, contents };
	await office.call({ method: "POST", url: path("/templates"), token, body: template });
	const headers = { "if-match": "*" };
	await office.call({ method: "POST", url: path("/templates/own/notice/publish"), token, headers });
	await office.call({
		...{ method: "POST", url: path("/credits/grants"), body: { segments: 50, reason: "test" } },
		token: office.token(office.lango, "superuser"),
	});
	await ensureTenant(office.database.db, tenant.id);
	const credentials = { accountSid: `AC${"0".repeat(32)}`, authToken: "sandbox", from: "+15005550006" };
	await saveProvider(office.database.db, {
		...{ tenantId: tenant.id, now: new Date() },
		change: {
			...{ channel: "whatsapp", kind: "twilio", name: "own", baseUrl: `${sandbox.url}/twilio` },
			...{ restingWeight: 100, perSecond: 100, inFlightMax: 20, isEnabled: true, createdBy: "test" },
			secrets: vault.sealCredentials({ credentials }),
		},
	});
	const faults = ["africastalking", "twilio", "whatsapp_cloud"].flatMap((kind) => [
		{ kind, match: { every: 7 }, do: { hang: true } },
		{ kind, match: { every: 5 }, do: { reset: true } },
		{ kind, match: { every: 3 }, do: { refuse: { status: 429, after: 1 } } },
		{ kind, match: { every: 2 }, do: { delay: { ms: 200 } } },
	]);
	await control(sandbox, "PUT /control/faults", faults);
	for (const [, channel, provider] of ways) {
		const message = { channel, template: "own/notice", data: {}, metadata: { provider } };
		expect(await office.send(tenant, greeting(phonesOf(provider), message))).toMatchObject({ status: 202 });
	}
	return { rows: await untilEnded(office, tenant), arrivals: (await truth(sandbox)) as Arrival[] };
}
let ended: ReturnType<typeof sendAll> | undefined;

test.each(ways)(
	"while calls of %s, %s, hang, are slow, are refused and are reset, each message arrives at most once",
	{ timeout: 120_000 },
	async (kind, _channel, provider) => {
		ended ??= sendAll();
		const { rows, arrivals } = await ended;
		const own = arrivals.filter((one) => one.kind === kind);
		expect(new Set(own.map(({ outcome }) => outcome))).toEqual(new Set(["accepted", "refused", "dropped"]));
		expect(own.filter(({ outcome }) => outcome === "refused").map(({ status }) => status)).toContain(429);
		const phones = new Set(phonesOf(provider));
		const mine = rows.filter(({ address }) => phones.has(address));
		expect(mine).toHaveLength(phones.size);
		for (const { address, status } of mine) {
			const times = own.filter(
				(one) => one.outcome === "accepted" && one.address.replace("whatsapp:", "") === address,
			).length;
			const hasArrived = ["sent", "delivered", "read"].includes(status);
			expect([address, status, times]).toEqual([address, status, hasArrived ? 1 : 0]);
		}
	},
);

test("a provider that asks for a minute gets it: no failure is counted, and the message is sent once", async () => {
	const { office, sandbox } = opened;
	office.clock.now = undefined;
	await control(sandbox, "DELETE /control/truth");
	const refusal = { refuse: { status: 429, code: 130_429, after: 60 } };
	await control(sandbox, "PUT /control/faults", [{ kind: "whatsapp_cloud", match: { nth: 1 }, do: refusal }]);
	const tenant = addTenant();
	const startedAt = Date.now();
	const sent = await office.send(tenant, greeting(["+254712352055"], { channel: "whatsapp" }));
	expect(sent.status).toBe(202);
	const delivery = async () => {
		const [row] = await inTenant(office.database.db, tenant.id, (tx) =>
			tx.query<{ due_at: Date }>("select status, failures, tries, due_at from message_deliveries"),
		);
		return row;
	};
	await expect.poll(delivery).toMatchObject({ status: "queued", failures: 0, tries: 1 });
	expect((await delivery())?.due_at.getTime()).toBeGreaterThanOrEqual(startedAt + 60_000);
	const [ended] = await untilEnded(office, tenant);
	expect(["sent", "delivered", "read"]).toContain(ended?.status);
	expect((await truth(sandbox)).map(({ outcome }: Arrival) => outcome)).toEqual(["refused", "accepted"]);
});
