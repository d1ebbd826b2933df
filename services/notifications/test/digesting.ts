import { randomUUID } from "node:crypto";
import type { PublicTenant } from "@lango/contracts";
import { inTenant } from "@lango/postgres";
import { readKeyEncryptionKeys } from "@lango/tokens";
import { expect } from "vitest";
import { createVault } from "../src/addresses/sealed-address.ts";
import type { DigestTerms } from "../src/digests/digest-wire.ts";
import { encryptionKeys, type Office } from "./office.ts";

const vault = createVault(readKeyEncryptionKeys(encryptionKeys));

type Rows = <R extends Record<string, unknown>>(
	tenant: PublicTenant,
	text: string,
	values?: unknown[],
) => Promise<R[]>;

/** What tests of digests call: statements in a tenant, and a new tenant with a person. */
export function digestsIn(office: Office) {
	const rows: Rows = (tenant, text, values = []) =>
		inTenant(office.database.db, tenant.id, (tx) => tx.query(text, values));
	return { rows, open: () => openDigests(office, rows), vault };
}

/** A new tenant with a person, and what its administrator calls. */
async function openDigests(office: Office, rows: Rows) {
	const tenant = office.tenant({});
	const id = randomUUID();
	const token = office.token(tenant, "member", { sub: id, email: `p-${id}@uhai.example`, name: "Asha" });
	const call = (method: "GET" | "POST" | "PUT" | "DELETE", path: string, body?: object) =>
		office.call({
			...{ method, url: `/api/v1/${tenant.slug}/notifications${path}` },
			...{ token: office.token(tenant, "admin"), ...(body !== undefined && { body }) },
		});
	const prefer = (body: object) =>
		office.call({ method: "PUT", url: `/api/v1/${tenant.slug}/notifications/preferences`, token, body });
	expect((await prefer({ time_zone: "Africa/Nairobi" })).status).toBe(200);
	const event = `custom.e${randomUUID().slice(0, 8)}`;
	const rule = async (digest: DigestTerms, more: object = {}): Promise<string> => {
		const { status, body } = await call("POST", "/triggers", {
			...{
				name: randomUUID(),
				event,
				template: "shared/generic_notification",
				channels: ["email"],
				digest,
			},
			recipients: [`user:${id}`],
			map: {
				...{ name: { from: "recipient.name" }, title: { from: "event.title" } },
				...{ message: { value: "See the list." }, action_link: { value: "https://lango.example/x" } },
			},
			...more,
		});
		expect({ status, body }).toMatchObject({
			status: 201,
			body: { digest, people: [{ user_id: id, name: "Asha" }] },
		});
		return body.id;
	};
	const happen = async (...titles: string[]) => {
		for (const title of titles) {
			const data = { title, project: title.slice(0, 1) };
			const sent = { id: randomUUID(), type: event, subject: "item", data };
			expect((await call("POST", "/events", sent)).status).toBe(202);
			await office.jobs.runDue();
		}
	};
	const windows = async () => (await call("GET", "/digests")).body.items;
	const sendNow = async () => {
		for (const { id: window } of await windows())
			expect(await call("POST", `/digests/${window}/send-now`)).toMatchObject({
				status: 202,
				body: { id: window },
			});
		await office.jobs.runDue();
	};
	const digests = () =>
		rows<{ status: string; channel: string; data: Buffer; data_key_id: string; class: string }>(
			tenant,
			`select d.status, m.channel, m.class, m.data, m.data_key_id from messages m
			   join message_deliveries d on d.tenant_id = m.tenant_id and d.message_id = m.id
			  where m.source = 'digest' order by m.created_at, m.id`,
		);
	/** The titles in the digests that were sent, by digest. */
	const sent = async () =>
		(await digests()).map(({ data, data_key_id: keyId }) => {
			const { values } = vault.openData({ keyId, sealed: data }) as { values: Record<string, unknown> };
			const items = values["items"] as Array<{ title: string }>;
			expect(values).toMatchObject({ name: "Asha", count: items.length });
			return items.map(({ title }) => title);
		});
	return { tenant, id, call, prefer, rule, happen, windows, sendNow, digests, sent };
}
