import type { Database } from "@lango/postgres";
import {
	type CredentialRow,
	credentialColumns,
	fromCredentialRow,
	type StoredCredential,
} from "./credential.store.ts";
import type { GatewayKind } from "./credential.ts";
import { fromProfileRow, type ProfileRow, profileColumns } from "./profile.store.ts";
import type { Profile } from "./profile.ts";

/** The one for calls first, then the newest. */
const first = `select ${credentialColumns} from platform_gateway_credentials
	where profile_id = p.id and (retires_at is null or retires_at > $2)
	order by retires_at desc nulls first, set_at desc limit 1`;

const credential = credentialColumns.replace(/^id,/, "c.id as credential_id,").replaceAll(/, /g, ", c.");

type KeyedRow = ProfileRow & Omit<CredentialRow, "id"> & { credential_id: string | null };
type Keyed<S> = { profile: Profile<S>; credential: StoredCredential | undefined };

/** Returns a profile, and the first credential of the platform for it. Call it outside of a tenant. */
export async function getKeyedProfile<S extends object>(
	db: Database,
	{ kind, defaults, now }: { kind: GatewayKind; defaults: S; now: Date },
): Promise<Keyed<S>> {
	const [row] = await db.query<KeyedRow>(
		`select ${profileColumns.replaceAll(/(\w+)/g, "p.$1")}, ${credential}
		   from gateway_profiles p left join lateral (${first}) c on true where p.kind = $1`,
		[kind, now],
	);
	if (row === undefined) throw new Error(`the profile ${kind} was not seeded`);
	const { credential_id: id } = row;
	return {
		profile: fromProfileRow(row, defaults),
		credential: id === null ? undefined : fromCredentialRow({ ...row, id }),
	};
}
