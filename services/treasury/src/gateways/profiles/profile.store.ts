import type { Database } from "@lango/postgres";
import type { GatewayKind } from "./credential.ts";
import {
	type CardProfile,
	cardDefaults,
	type GatewayEnvironment,
	type MobileMoneyProfile,
	mobileMoneyDefaults,
	type Profile,
} from "./profile.ts";

/** A row of `profileColumns`. */
export type ProfileRow = {
	id: string;
	environment: GatewayEnvironment;
	base_url: string | null;
	certificate: string | null;
	settings: object;
	version: bigint;
};

/** The columns of a profile. */
export const profileColumns = "id, environment, base_url, certificate, settings, version";

/** The profile of a row. */
export const fromProfileRow = <S extends object>(row: ProfileRow, defaults: S): Profile<S> => ({
	...{ id: row.id, environment: row.environment },
	...{ baseUrl: row.base_url ?? undefined, certificate: row.certificate ?? undefined },
	settings: { ...defaults, ...row.settings },
	version: Number(row.version),
});

async function getRow(db: Database, kind: GatewayKind): Promise<ProfileRow> {
	const [row] = await db.query<ProfileRow>(`select ${profileColumns} from gateway_profiles where kind = $1`, [
		kind,
	]);
	if (row === undefined) throw new Error(`the profile ${kind} was not seeded`);
	return row;
}

/** Returns a profile, with those settings that are not the defaults. */
export const getProfile = async (db: Database, kind: GatewayKind): Promise<Profile<object>> =>
	fromProfileRow(await getRow(db, kind), {});

/** Returns the profile of the mobile-money gateway. */
export const getMobileMoneyProfile = async (db: Database): Promise<MobileMoneyProfile> =>
	fromProfileRow(await getRow(db, "mobile_money"), mobileMoneyDefaults);

/** Returns the profile of the card gateway. */
export const getCardProfile = async (db: Database): Promise<CardProfile> =>
	fromProfileRow(await getRow(db, "card_gateway"), cardDefaults);

/** What changes of a profile; absent members stay. */
export type ProfileChange = {
	environment?: GatewayEnvironment;
	baseUrl?: string;
	certificate?: string;
	settings?: object;
};

/** Creates a profile that does not exist yet. Without an address it takes the one of the setting. */
export async function ensureProfile(
	db: Database,
	kind: GatewayKind,
	{ environment, baseUrl, now }: { environment: GatewayEnvironment; baseUrl: string | undefined; now: Date },
): Promise<void> {
	await db.query(
		`insert into gateway_profiles as p (kind, environment, base_url, updated_at) values ($1, $2, $3, $4)
		 on conflict on constraint gateway_profiles__kind_unique
		 do update set base_url = excluded.base_url where p.base_url is null and excluded.base_url is not null`,
		[kind, environment, baseUrl ?? null, now],
	);
}

/** Changes a profile. Members of its settings replace those before, as a whole each. */
export async function changeProfile(
	db: Database,
	kind: GatewayKind,
	{ change, now }: { change: ProfileChange; now: Date },
): Promise<void> {
	const { environment = null, baseUrl = null, certificate = null, settings = {} } = change;
	await db.query(
		`update gateway_profiles
		    set environment = coalesce($2, environment), base_url = coalesce($3, base_url),
		        certificate = coalesce($4, certificate), settings = settings || $5::jsonb,
		        version = version + 1, updated_at = $6
		  where kind = $1`,
		[kind, environment, baseUrl, certificate, JSON.stringify(settings), now],
	);
}
