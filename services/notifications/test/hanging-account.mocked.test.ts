import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import type { PublicTenant } from "@lango/contracts";
import { inTenant } from "@lango/postgres";
import { type MessagesSandbox, startMessagesSandbox } from "@lango/sandbox-messages";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { seedDemoNotifications } from "../src/demo.ts";
import { encryptionKeys, greeting, type Office, openOffice } from "./office.ts";

// A tenant's own mail server must be on the internet; the one of this test is on this machine.
vi.mock("../src/providers/connections/host-policy.ts", async (original) => ({
	...(await original<typeof import("../src/providers/connections/host-policy.ts")>()),
	resolveMailHost: async () => [{ address: "127.0.0.1", family: 4 }],
}));

const slots = 8;
/** While no other lane is due, a lane holds three quarters of the slots. */
const slotsOfOne = 6;

/** A mail server that accepts connections and says nothing. */
const silent = createServer();
let [open, mostOpen] = [0, 0];
silent.on("connection", (socket) => {
	open += 1;
	mostOpen = Math.max(mostOpen, open);
	socket.on("error", () => socket.destroy());
	socket.on("close", () => {
		open -= 1;
	});
});

let [office, sandbox] = [undefined as unknown as Office, undefined as unknown as MessagesSandbox];
beforeAll(async () => {
	silent.listen(0, "127.0.0.1");
	await once(silent, "listening");
	sandbox = await startMessagesSandbox({ port: 0, smtpPort: 0 });
	office = await openOffice({ NOTIFICATIONS_DISPATCH: "on", NOTIFICATIONS_NORMAL_SLOTS: `${slots}` });
	await seedDemoNotifications(office.database.db, {
		...{ now: new Date(), tenants: [] },
		environment: {
			NOTIFICATIONS_KEY_ENCRYPTION_KEYS: encryptionKeys,
			MESSAGES_SANDBOX_SMTP_PORT: String(sandbox.smtpPort),
		},
	});
});
afterAll(async () => {
	silent.close();
	await Promise.all([office.close(), sandbox.stop()]);
});

const countOf = async (tenant: PublicTenant, status: string) => {
	const rows = await inTenant(office.database.db, tenant.id, (tx) =>
		tx.query("select from message_deliveries where status = $1", [status]),
	);
	return rows.length;
};
const addresses = (count: number) => Array.from({ length: count }, (_, n) => `person${n}@uhai.example`);

test("a tenant whose own mail server accepts connections and never answers holds its share of the slots, and others are sent", async () => {
	const [hanging, other] = [office.uhai, office.kahawa];
	const added = await office.call({
		...{ method: "POST", url: `/api/v1/${hanging.slug}/notifications/providers` },
		token: office.token(hanging, "admin"),
		body: {
			...{ channel: "email", kind: "smtp", name: "silent", in_flight_max: 50 },
			credentials: {
				...{ host: "mail.uhai.example", port: (silent.address() as AddressInfo).port },
				...{ secure: false, requireTls: true, fromAddress: "info@uhai.example" },
			},
		},
	});
	expect(added.status).toBe(201);
	expect((await office.send(hanging, greeting(addresses(40)))).status).toBe(202);
	await expect.poll(() => mostOpen).toBe(slotsOfOne);
	for (const address of addresses(20))
		expect((await office.send(other, greeting([address]))).status).toBe(202);
	await expect.poll(() => countOf(other, "sent")).toBe(20);
	expect(await countOf(hanging, "sent")).toBe(0);
	expect(mostOpen).toBe(slotsOfOne);
});
