import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openPool } from "@lango/postgres";
import { type MessagesSandbox, startMessagesSandbox } from "@lango/sandbox-messages";
import {
	createTestDatabase,
	findFreePorts,
	startTestIssuer,
	startTestSubscriptions,
	type TestDatabase,
	testSubscription,
	testTenant,
} from "@lango/testkit";
import { parts } from "../../tools/up.ts";
import { blockMessage, blockTable, listDeliveries, type StoredDelivery } from "./notification-state.store.ts";
import { type Replica, replicaOf } from "./replica.ts";

/** What the sandbox has seen of a mail. */
type SeenMail = { address: string; delivery_id: string; message_id: string; outcome: string };
type More = { key?: string; sendAt?: Date };

/** Two processes of the notification service on one database, and the sandbox to which they send. */
export type NotificationProcesses = {
	database: TestDatabase;
	sandbox: MessagesSandbox;
	processes: readonly [Replica, Replica];
	/** Posts a message of the tenant to an address; undefined if no response came. */
	send(at: Replica, to: string, more?: More): Promise<{ status: number; id: string } | undefined>;
	listDeliveries(): Promise<StoredDelivery[]>;
	/** The mails that the sandbox accepted or refused, the oldest first. */
	listMails(): Promise<SeenMail[]>;
	/** Sets the sandbox's faults. */
	setFaults(rules: readonly object[]): Promise<void>;
	/** Holds statements that write to a table until the returned function is called. */
	block(table: string): Promise<() => Promise<void>>;
	/** Holds the recording of a message's results until the returned function is called. */
	blockResults(messageId: string): Promise<() => Promise<void>>;
	close(): Promise<void>;
};

const greeting = {
	channel: "email",
	template: "shared/generic_notification",
	data: {
		...{ name: "Amina", title: "Results are ready", message: "Please call the ward before noon." },
		action_link: "https://uhai.example/results",
	},
};

const asJson = { headers: { "content-type": "application/json" } };

const keysWith = (key: string) => ({
	NOTIFICATIONS_SNAPSHOT_READ_KEY: key,
	NOTIFICATIONS_USAGE_REPORT_KEY: key,
	NOTIFICATIONS_LINKS_READ_KEY: key,
	NOTIFICATIONS_RECIPIENTS_READ_KEY: key,
});

/** Starts everything. */
export async function startNotificationProcesses(): Promise<NotificationProcesses> {
	const part = parts.services.find(({ service }) => service.name === "notifications");
	if (part?.demo === undefined) throw new Error("tools/up.ts brings up no notification service");
	const folder = mkdtempSync(join(tmpdir(), "lango-notifications-"));
	const database = await createTestDatabase({ name: "notifications", sets: part.service.migrations });
	const owner = openPool({ url: database.ownerUrl, name: "faults", sizeMax: 2 });
	const [issuer, subscriptions] = [await startTestIssuer(), await startTestSubscriptions()];
	const sandbox = await startMessagesSandbox({ port: 0, smtpPort: 0 });
	const tenant = testTenant("uhai");
	issuer.tenants.push(tenant);
	const plan = { products: ["notifications"], limits: { max_emails_per_day: -1 }, features: [] };
	subscriptions.records.set(tenant.id, testSubscription(tenant.id, plan));
	const environment = {
		...process.env,
		NOTIFICATIONS_DATABASE_URL: database.url,
		NOTIFICATIONS_KEY_ENCRYPTION_KEYS: `test:${Buffer.alloc(32, 7).toString("base64")}`,
		...{ AUTH_URL: issuer.url, SUBSCRIPTIONS_URL: subscriptions.url, LOG_LEVEL: "info" },
		...keysWith(subscriptions.apiKey),
		MESSAGES_SANDBOX_SMTP_PORT: String(sandbox.smtpPort),
	};
	const ports = await findFreePorts(2);
	const [first, second] = ports.map((port) =>
		replicaOf({ service: "notifications", port, environment, log: join(folder, `${port}.log`) }),
	);
	if (first === undefined || second === undefined) throw new Error("there are no free ports");
	await Promise.all([first.start(), second.start()]);
	await part.demo(database.db, { now: new Date(), tenants: [], environment });
	const claims = { tenant_id: tenant.id, tenant_slug: tenant.slug, roles: ["admin"], name: "Admin" };
	const token = issuer.token({ ...claims, email: "admin@uhai.example" });
	const ask = async (path: string, init?: RequestInit) => {
		const response = await fetch(`${sandbox.url}/control/${path}`, init);
		if (!response.ok) throw new Error(`the sandbox answered ${response.status}: ${await response.text()}`);
		return response;
	};
	return {
		...{ database, sandbox, processes: [first, second] },
		async send(at, to, { key, sendAt } = {}) {
			const response = await fetch(`${at.url}/api/v1/${tenant.slug}/notifications/messages`, {
				method: "POST",
				headers: {
					...{ authorization: `Bearer ${token}`, "content-type": "application/json" },
					...(key !== undefined && { "idempotency-key": key }),
				},
				body: JSON.stringify({ ...greeting, to: [to], ...(sendAt !== undefined && { send_at: sendAt }) }),
			}).catch(() => undefined);
			const body = (await response?.json().catch(() => undefined)) as { requestId: string } | undefined;
			return response === undefined || body === undefined
				? undefined
				: { status: response.status, id: body.requestId };
		},
		listDeliveries: () => listDeliveries(owner),
		async listMails() {
			const { items } = (await (await ask("truth?kind=smtp")).json()) as { items: SeenMail[] };
			return items;
		},
		setFaults: async (rules) =>
			void (await ask("faults", { ...asJson, method: "PUT", body: JSON.stringify(rules) })),
		block: (table) => blockTable(database.ownerUrl, table),
		blockResults: (messageId) => blockMessage(database.ownerUrl, { tenantId: tenant.id, id: messageId }),
		async close() {
			await Promise.all([first.kill(), second.kill()]);
			await Promise.all([sandbox.stop(), issuer.close(), subscriptions.close()]);
			await owner.close();
			await database.drop();
			rmSync(folder, { recursive: true });
		},
	};
}
