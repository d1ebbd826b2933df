import type { Database } from "@lango/postgres";
import type { Sealed } from "@lango/tokens";
import type { Channel } from "../channel.ts";

/** A person as this service stores it. */
export type ExportedPerson = {
	name: string;
	email: Sealed | undefined;
	isEmailVerified: boolean;
	roles: string[];
	status: string;
	createdAt: Date;
};

const sealedOf = (keyId: string | null, sealed: Buffer | null): Sealed | undefined =>
	keyId === null || sealed === null ? undefined : { keyId, sealed };

/** Returns a person, also one who cannot sign in; undefined if not known. Call it inside the tenant. */
export async function findExportedPerson(tx: Database, id: string): Promise<ExportedPerson | undefined> {
	const [row] = await tx.query<{
		name: string;
		email_key_id: string | null;
		email: Buffer | null;
		email_verified: boolean;
		roles: string[];
		status: string;
		created_at: Date;
	}>(
		"select name, email_key_id, email, email_verified, roles, status, created_at from recipients where id = $1",
		[id],
	);
	if (row === undefined) return undefined;
	return {
		...{ name: row.name, email: sealedOf(row.email_key_id, row.email), isEmailVerified: row.email_verified },
		...{ roles: row.roles, status: row.status, createdAt: row.created_at },
	};
}

/** Lists the encrypted further addresses of a person by id; there are few. Call it inside the tenant. */
export async function listSealedContacts(tx: Database, userId: string): Promise<Map<string, Sealed>> {
	const rows = await tx.query<{ id: string; address_key_id: string; address: Buffer }>(
		"select id, address_key_id, address from contact_points where user_id = $1 and channel <> 'push'",
		[userId],
	);
	return new Map(rows.map((row) => [row.id, { keyId: row.address_key_id, sealed: row.address }]));
}

/** What was sent to a person, or was to be sent. */
export type ExportedDelivery = {
	id: string;
	messageId: string;
	channel: Channel;
	template: string;
	category: string;
	status: string;
	createdAt: Date;
	/** Undefined after its retention. */
	address: Sealed | undefined;
	/** Undefined after its retention, and for messages with a secret. */
	data: Sealed | undefined;
	/** Microseconds since 1970: the place in the list. */
	place: string;
};

type Query = {
	userId: string;
	keys: readonly Buffer[];
	after: readonly [string, string] | undefined;
	limit: number;
};

/** Lists deliveries to a person or to one of these addresses, the newest first. Call it inside the tenant. */
export async function listExportedDeliveries(tx: Database, query: Query): Promise<ExportedDelivery[]> {
	const { userId, keys, after, limit } = query;
	const rows = await tx.query<{
		id: string;
		message_id: string;
		channel: Channel;
		template: string;
		category: string;
		status: string;
		created_at: Date;
		address_key_id: string | null;
		address: Buffer | null;
		data_key_id: string | null;
		data: Buffer | null;
		place: string;
	}>(
		`select d.id, d.message_id, d.channel, m.template, m.category, d.status, d.created_at, d.address_key_id, d.address,
		        m.data_key_id, case when not m.has_secret then m.data end as data,
		        (extract(epoch from d.created_at) * 1000000)::bigint::text as place
		   from message_deliveries d join messages m on m.tenant_id = d.tenant_id and m.id = d.message_id
		  where (d.user_id = $1 or d.address_key = any ($2))
		    and ($3::bigint is null or (d.created_at, d.id) < (timestamptz 'epoch' + $3 * interval '1 microsecond', $4::uuid))
		  order by d.created_at desc, d.id desc limit $5`,
		[userId, [...keys], after?.[0] ?? null, after?.[1] ?? null, limit],
	);
	return rows.map((row) => ({
		...{ id: row.id, messageId: row.message_id, channel: row.channel, template: row.template },
		...{ category: row.category, status: row.status, createdAt: row.created_at, place: row.place },
		address: sealedOf(row.address_key_id, row.address),
		data: sealedOf(row.data_key_id, row.data),
	}));
}
