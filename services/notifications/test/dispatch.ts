import { randomUUID } from "node:crypto";
import { inTenant, openPool } from "@lango/postgres";
import { readKeyEncryptionKeys } from "@lango/tokens";
import { onTestFinished } from "vitest";
import { createVault, type Vault } from "../src/addresses/sealed-address.ts";
import type { Claimed, Lane } from "../src/dispatch/claim.store.ts";
import { claimDeliveries } from "../src/dispatch/claim.ts";
import type { Sending } from "../src/dispatch/send-delivery.ts";
import type { Result } from "../src/dispatch/settle.store.ts";
import { settle } from "../src/dispatch/settle.ts";
import { createLetterheads } from "../src/letterheads/letterhead.ts";
import type { Rendered } from "../src/rendering/rendered.ts";
import { criticalCategories } from "../src/template.ts";
import { createPublishedTemplates } from "../src/templates/published-templates.ts";
import { encryptionKeys, type Office } from "./office.ts";

const vault = createVault(readKeyEncryptionKeys(encryptionKeys));

/** Claims due deliveries of a lane, as a dispatcher does. */
export function claimFrom(office: Office, lane: Lane, limit = 100): Promise<readonly Claimed[]> {
	return claimWith(vault, office, { lane, limit });
}

/** As `claimFrom`, with other key-encryption keys. */
export function claimWith(
	other: Vault,
	office: Office,
	{ lane, limit = 100 }: { lane: Lane; limit?: number },
): Promise<readonly Claimed[]> {
	const options = { limit, leaseSeconds: 30, critical: criticalCategories, now: new Date(), vault: other };
	return inTenant(office.database.db, lane.tenantId, (tx) => claimDeliveries(tx, lane, options));
}

/** What sending needs, with a provider that accepts everything and adds it to `sent`. */
export function sendingIn(
	office: Office,
	{ sent = [], ...more }: Partial<Sending> & { sent?: Rendered[] } = {},
): Sending {
	const { db } = office.database;
	const now = () => new Date();
	return {
		...{ db, now, random: () => 0.5, fromAddress: "no-reply@lango.example" },
		vault,
		templates: createPublishedTemplates({ db, now }),
		letterheads: createLetterheads({ db, now }),
		unsubscribeUrl: () => "https://lango.example/u",
		links: { find: async () => ({ is: "gone" }) },
		hasWhatsapp: async () => true,
		keepItem: async () => false,
		onUnrendered: () => {},
		calls: {
			choose: async () => ({
				account: { id: randomUUID(), kind: "test", name: "test" },
				send: async (message) => {
					sent.push(message);
					return { outcome: { is: "accepted" }, tookMs: 1 };
				},
			}),
		},
		...more,
	};
}

/** Settles claimed deliveries as sent. */
export function settleAs(office: Office, tenantId: string, results: readonly Result[]) {
	return settle({ db: office.database.db, now: () => new Date(), vault }, { tenantId, results });
}

/** The result of a call that the provider accepted. */
export const accepted = ({ id, attempt }: Pick<Claimed, "id" | "attempt">): Result => ({
	...{ id, attempt, from: ["sending"], status: "sent", rank: 1, ref: randomUUID() },
	event: { kind: "attempt", detail: { outcome: "accepted" } },
});

/**
 * Lets statements fail that write rows of a tenant to a table, or this row only, until the test ends or the
 * returned function is called.
 */
export async function failFor(
	office: Office,
	tenantId: string,
	{ table, id }: { table: "lanes" | "message_deliveries"; id?: string | undefined },
): Promise<() => Promise<void>> {
	const owner = openPool({ url: office.database.ownerUrl, name: "failing", sizeMax: 1 });
	const repair = () => owner.query(`drop trigger if exists failing on ${table}`).then(() => {});
	onTestFinished(async () => {
		await repair();
		await owner.query("drop function fail_for_test()");
		await owner.close();
	});
	await owner.query(
		`create function fail_for_test() returns trigger language plpgsql
		 as $$ begin raise exception 'failed for a test'; end $$`,
	);
	const isIt = id === undefined ? "" : ` and new.id = '${id}'`;
	await owner.query(
		`create trigger failing before insert or update on ${table} for each row
		 when (new.tenant_id = '${tenantId}'${isIt}) execute function fail_for_test()`,
	);
	return repair;
}
