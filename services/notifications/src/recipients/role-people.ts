import { Recipient } from "@lango/contracts";
import { createCache } from "@lango/memory";
import { type Database, inTenant } from "@lango/postgres";
import Type, { type Static } from "typebox";
import Value from "typebox/value";
import type { Vault } from "../addresses/sealed-address.ts";
import { askSignOn, type SignOnAddress } from "./ask-sign-on.ts";
import { sealEmail } from "./ensure-recipient.ts";
import { recordPerson } from "./person.store.ts";

/** Makes people of a role known who signed in before this service received events. */
export type RolePeople = {
	/**
	 * Records the people of a role that the sign-on service knows, at most once an hour. What is known of a
	 * person does not change. Throws RolePeopleUnavailable while the sign-on service is unavailable.
	 */
	learn(tenantId: string, role: string): Promise<void>;
};

/** The sign-on service did not say who has a role. */
export class RolePeopleUnavailable extends Error {
	override name = "RolePeopleUnavailable";
}

const Answer = Type.Object({
	items: Type.Array(Recipient, { maxItems: 200 }),
	next_cursor: Type.Union([Type.String(), Type.Null()]),
});
const NotFound = Type.Object({ code: Type.Literal("tenant_not_found") });

const pageMax = 200;
/** A run has at most 200 recipients; one more shows that some are left out. */
const peopleMax = 201;
const cachedMax = 5_000;
const maxAgeMs = 3_600_000;

type Options = SignOnAddress & { db: Database; vault: Vault; now: () => Date };

/** Creates the client. */
export function createRolePeople({ db, vault, now, ...address }: Options): RolePeople {
	const learned = createCache<true>({ sizeMax: cachedMax, maxAgeMs, now });
	return {
		learn: async (tenantId, role) => {
			await learned.load(`${tenantId} ${role}`, async () => {
				const people = await listPeople(address, { tenantId, role });
				await inTenant(db, tenantId, async (tx) => {
					for (const { user_id: id, email, email_verified: isEmailVerified, ...person } of people)
						await recordPerson(tx, {
							...{ ...person, tenantId, id, isEmailVerified, email: sealEmail(vault, email) },
							...{ version: 0, now: now() },
						});
				});
				return true;
			});
		},
	};
}

async function listPeople(
	address: SignOnAddress,
	{ tenantId, role }: { tenantId: string; role: string },
): Promise<readonly Recipient[]> {
	const people: Recipient[] = [];
	let cursor: string | null = null;
	do {
		const page: Static<typeof Answer> = await readPage(address, { tenantId, role, cursor });
		people.push(...page.items);
		cursor = page.next_cursor;
	} while (cursor !== null && people.length < peopleMax);
	return people;
}

async function readPage(
	address: SignOnAddress,
	{ tenantId, role, cursor }: { tenantId: string; role: string; cursor: string | null },
): Promise<Static<typeof Answer>> {
	const query = new URLSearchParams({ role, limit: String(pageMax), ...(cursor !== null && { cursor }) });
	const { status, body } = await askSignOn(address, `/api/v1/tenants/${tenantId}/recipients?${query}`);
	// The 404 of a proxy does not mean that the tenant is gone.
	if (status === 404 && Value.Check(NotFound, body)) return { items: [], next_cursor: null };
	if (status === 200 && Value.Check(Answer, body)) return body;
	throw new RolePeopleUnavailable(`the sign-on service answered ${status} for the people of a role`);
}
