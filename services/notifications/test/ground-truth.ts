import type { PublicTenant } from "@lango/contracts";
import { inTenant } from "@lango/postgres";
import { type MessagesSandbox, startMessagesSandbox } from "@lango/sandbox-messages";
import { findFreePort, type TestDatabase } from "@lango/testkit";
import { readKeyEncryptionKeys } from "@lango/tokens";
import { expect } from "vitest";
import { createVault } from "../src/addresses/sealed-address.ts";
import { seedDemoNotifications } from "../src/demo.ts";
import { rearmIdleLanes, recoverDeliveries } from "../src/dispatch/recover.ts";
import { createProviderCalls } from "../src/providers/provider-calls.ts";
import { applyReports } from "../src/reports/apply-reports.ts";
import { encryptionKeys, type Office, openOffice } from "./office.ts";

/** The service with its dispatcher, providers of the platform, and the sandbox that they lead to. */
export type Truth = { office: Office; sandbox: MessagesSandbox; close(): Promise<void> };

/** A request at a provider, as the sandbox has it. */
export type Arrival = {
	delivery_id: string;
	kind: string;
	channel: string;
	address: string;
	text: string;
	outcome: string;
	status: number | null;
	answered: boolean;
	message_id: string | null;
};

/** A delivery, as the service has it. `unknown_calls`: how many of its calls had an unknown outcome. */
export type Delivery = {
	id: string;
	message_id: string;
	channel: string;
	status: string;
	address: string;
	unknown_calls: number;
};

export const vault = createVault(readKeyEncryptionKeys(encryptionKeys));

/** Starts everything. Uhai has credit. */
export async function openTruth(
	environment: Record<string, string> = {},
	...create: [] | [() => Promise<TestDatabase>]
): Promise<Truth> {
	const port = await findFreePort();
	const publicUrl = `http://127.0.0.1:${port}`;
	const settings = { NOTIFICATIONS_DISPATCH: "on", NOTIFICATIONS_PUBLIC_URL: publicUrl, ...environment };
	const office = await openOffice(settings, ...create);
	await office.app.listen({ port, host: "127.0.0.1" });
	const sandbox = await startMessagesSandbox({ port: 0, smtpPort: 0, reportAfterMs: 0 });
	await seedDemoNotifications(office.database.db, {
		now: new Date(),
		tenants: [office.uhai],
		environment: {
			NOTIFICATIONS_KEY_ENCRYPTION_KEYS: encryptionKeys,
			NOTIFICATIONS_PUBLIC_URL: publicUrl,
			MESSAGES_SANDBOX_PORT: new URL(sandbox.url).port,
			MESSAGES_SANDBOX_SMTP_PORT: String(sandbox.smtpPort),
		},
	});
	const close = async () => {
		await Promise.all([office.close(), sandbox.stop()]);
	};
	return { office, sandbox, close };
}

async function deliveriesOf({ database: { db } }: Office, tenantId: string): Promise<Delivery[]> {
	const rows = await inTenant(db, tenantId, (tx) =>
		tx.query<Omit<Delivery, "address"> & { address_key_id: string; sealed: Buffer }>(
			`select d.id, d.message_id, d.channel, d.status, d.address_key_id, d.address as sealed,
			        (select count(*)::integer from delivery_events e
			          where e.tenant_id = d.tenant_id and e.delivery_id = d.id and e.detail->>'outcome' = 'unknown') as unknown_calls
			   from message_deliveries d order by d.id`,
		),
	);
	return rows.map(({ address_key_id: keyId, sealed, ...row }) => ({
		...row,
		address: vault.openAddress({ keyId, sealed }),
	}));
}

const minuteMs = 61_000;
/** What is due so soon counts as busy: it could be claimed just before time passes, and lose its lease. */
const soonMs = 2_000;

/**
 * Lets time pass until every delivery of a tenant has ended: a minute whenever nothing is due soon and no
 * call is in progress. Meanwhile the clock runs, and the jobs that recover deliveries and lanes run often.
 */
export async function untilEnded(office: Office, { id }: PublicTenant): Promise<Delivery[]> {
	const now = () => office.clock.now ?? new Date();
	const { db } = office.database;
	const calls = createProviderCalls({
		...{ db, now, vault, publicUrl: "http://127.0.0.1" },
		counts: { count: () => {} },
		onError: () => {},
	});
	const recover = async () => {
		await applyReports({ db, now, vault });
		await recoverDeliveries({ db, now, vault, calls }, AbortSignal.timeout(60_000));
		await rearmIdleLanes({ db, now }, AbortSignal.timeout(60_000));
	};
	const countBusy = async () => {
		const [row] = await inTenant(db, id, (tx) =>
			tx.query<{ busy: number }>(
				`select count(*)::integer as busy from message_deliveries
				  where status = 'sending' or status = 'queued' and due_at <= $1`,
				[new Date(now().getTime() + soonMs)],
			),
		);
		return row?.busy;
	};
	const aheadMs = now().getTime() - Date.now();
	try {
		for (let minute = 1; minute <= 90; minute++) {
			const countBusyNow = async () => {
				office.clock.now = new Date(Date.now() + aheadMs + (minute - 1) * minuteMs);
				await recover();
				return countBusy();
			};
			await expect.poll(countBusyNow, { timeout: 60_000, interval: 200 }).toBe(0);
			const rows = await deliveriesOf(office, id);
			if (rows.every(({ status }) => status !== "queued" && status !== "unknown")) return rows;
		}
	} finally {
		calls.stop();
	}
	throw new Error(`deliveries are still open: ${JSON.stringify(await deliveriesOf(office, id))}`);
}
