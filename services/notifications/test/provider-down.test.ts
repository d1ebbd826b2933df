import { readFileSync } from "node:fs";
import { join } from "node:path";
import { startMessagesSandbox } from "@lango/sandbox-messages";
import { setUp } from "@lango/testkit/set-up";
import { expect, test } from "vitest";
import { seedDemoNotifications } from "../src/demo.ts";
import { encryptionKeys, greeting, openOffice } from "./office.ts";
import { control, truth } from "./providers/sandbox.ts";

// What an operator is alarmed by while a provider is down: nothing here stores counts or weights by hand.

const office = setUp(() => openOffice({ NOTIFICATIONS_DISPATCH: "on" }));
const sandbox = setUp(
	() => startMessagesSandbox({ port: 0, smtpPort: 0, reportAfterMs: 0 }),
	(started) => started.stop(),
);

const rules = readFileSync(join(import.meta.dirname, "../../../deploy/prometheus/alerts.yaml"), "utf8");
/** The alarm fires when the series of its expression, by channel, is above 0. */
const expression = /alert: LangoProviderDegraded\n\s+expr: (.+)/.exec(rules)?.[1];

async function degraded(channel: string): Promise<number> {
	const { body } = await office.app.inject({ url: "/metrics" });
	const line = body
		.split("\n")
		.find((one) => one.startsWith("lango_providers_degraded{") && one.includes(`lango_channel="${channel}"`));
	return Number(line?.split(" ").at(-1));
}

test("while a provider is down an alarm fires, and ends when it is back and its messages have arrived", {
	timeout: 90_000,
}, async () => {
	expect(expression).toMatch(/^max by \(lango_channel\) \(lango_providers_degraded\{[^}]*\}\) > 0$/);
	await seedDemoNotifications(office.database.db, {
		...{ now: new Date(), tenants: [] },
		environment: {
			NOTIFICATIONS_KEY_ENCRYPTION_KEYS: encryptionKeys,
			MESSAGES_SANDBOX_PORT: new URL(sandbox.url).port,
			MESSAGES_SANDBOX_SMTP_PORT: String(sandbox.smtpPort),
		},
	});
	await control(sandbox, "PUT /control/faults", [{ kind: "smtp", match: { every: 1 }, do: { down: true } }]);
	expect(await degraded("email")).toBe(0);
	const to = Array.from({ length: 8 }, (_, at) => `person${at}@uhai.example`);
	expect(await office.send(office.uhai, greeting(to))).toMatchObject({ status: 202 });
	// A process writes its counts every ten seconds, and keeps what it measured for five.
	const patience = { timeout: 40_000, interval: 1_000 };
	const weighed = async () => {
		await office.jobs.run("providers.weigh");
		return degraded("email");
	};
	await expect.poll(weighed, patience).toBe(1);
	expect(await truth(sandbox)).toEqual([]);
	await control(sandbox, "PUT /control/faults", []);
	const pass = (minutes: number) => {
		office.clock.now = new Date((office.clock.now ?? new Date()).getTime() + minutes * 60_000);
	};
	pass(16);
	// An attempt that had begun may fail after that, and opens the breaker again for ten seconds.
	// The lease of one that was claimed as the clock was set has ended: recovery gives it back. What is being
	// sent for longer than a lease lasts on this clock is sent again.
	const arrived = async () => {
		pass(1);
		await office.jobs.run("deliveries.recover");
		return new Set((await truth(sandbox)).map(({ address }: { address: string }) => address)).size;
	};
	await expect.poll(arrived, patience).toBe(8);
	// Ten points come back every 15 minutes.
	const later = () => {
		pass(16);
		return weighed();
	};
	await expect.poll(later, patience).toBe(0);
});
