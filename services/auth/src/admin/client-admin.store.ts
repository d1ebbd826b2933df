import { type Place, pageOf } from "@lango/chassis";
import type { AdminClient } from "@lango/contracts";
import type { Database } from "@lango/postgres";
import type { Client } from "../clients/client.ts";
import { builtInClients } from "../clients/client-seed.ts";
import { placeOf } from "../paging/place-of.ts";

/** The members of an AdminClient that are columns. */
const columns = `client_id, name, redirect_uris, post_logout_redirect_uris, scopes, public, pkce_required, id_token_algorithm,
  id_token_at_refresh, first_party, created_at`;

type Row = Omit<AdminClient, "created_at" | "built_in"> & { created_at: Date };
const toWire = ({ created_at, ...client }: Row): AdminClient => ({
	...client,
	built_in: builtInClients.has(client.client_id),
	created_at: created_at.toISOString(),
});

/** Records a client. The database refuses an identifier that is taken (`clients__client_id_unique`). */
export async function recordClient(tx: Database, client: Omit<Client, "id">): Promise<AdminClient> {
	const [row] = await tx.query<Row>(
		`insert into clients (client_id, name, redirect_uris, post_logout_redirect_uris, scopes, public, secret_hash, pkce_required,
		   id_token_algorithm, id_token_at_refresh, first_party)
		 values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
		 returning ${columns}`,
		[
			client.clientId,
			client.name,
			client.redirectUris,
			client.postLogoutRedirectUris,
			client.scopes,
			client.isPublic,
			client.secretHash,
			client.isPkceRequired,
			client.idTokenAlgorithm,
			client.isIdTokenAtRefresh,
			client.isFirstParty,
		],
	);
	if (row === undefined) throw new Error("recording a client returned no row");
	return toWire(row);
}

/** Writes everything of a client that may change. */
export async function changeClientRow(tx: Database, client: Omit<Client, "id">): Promise<AdminClient> {
	const [row] = await tx.query<Row>(
		`update clients set name = $2, redirect_uris = $3, post_logout_redirect_uris = $4, scopes = $5, secret_hash = $6, pkce_required = $7,
		   id_token_algorithm = $8, id_token_at_refresh = $9, first_party = $10
		  where client_id = $1
		 returning ${columns}`,
		[
			client.clientId,
			client.name,
			client.redirectUris,
			client.postLogoutRedirectUris,
			client.scopes,
			client.secretHash,
			client.isPkceRequired,
			client.idTokenAlgorithm,
			client.isIdTokenAtRefresh,
			client.isFirstParty,
		],
	);
	if (row === undefined) throw new Error("the client to change does not exist");
	return toWire(row);
}

/** Locks a client until the transaction ends; returns the id of its row, undefined if not found. */
export async function lockClient(tx: Database, clientId: string): Promise<string | undefined> {
	const [row] = await tx.query<{ id: string }>("select id from clients where client_id = $1 for update", [
		clientId,
	]);
	return row?.id;
}

/** A client as the platform owner sees it. */
export async function findAdminClient(db: Database, clientId: string): Promise<AdminClient | undefined> {
	const [row] = await db.query<Row>(
		`select ${columns}
		   from clients where client_id = $1`,
		[clientId],
	);
	return row && toWire(row);
}

export type AskedClients = {
	/** Part of the identifier or the name, in small letters or capitals alike. */
	search: string | undefined;
	after: Place | undefined;
	limit: number;
};

/** A page of all clients, in the order they were made. */
export async function listClients(db: Database, { search, after, limit }: AskedClients) {
	const rows = await db.query<Row & { place_at: string; place_id: string }>(
		`select ${columns},
		   (extract(epoch from created_at) * 1000000)::bigint::text as place_at, id as place_id
		   from clients
		  where ($1::text is null or strpos(lower(client_id), lower($1)) > 0 or strpos(lower(name), lower($1)) > 0)
		    and ($2::bigint is null or (created_at, id) > (timestamptz 'epoch' + $2::bigint * interval '1 microsecond', $3::uuid))
		  order by created_at, id limit $4`,
		[search ?? null, after?.[0] ?? null, after?.[1] ?? null, limit + 1],
	);
	return pageOf(rows, { limit, placeOf, toWire: ({ place_at: _, place_id: __, ...row }) => toWire(row) });
}

/** Removes a client, and with it whatever it was given. */
export async function removeClientRow(tx: Database, clientId: string): Promise<void> {
	await tx.query("delete from clients where client_id = $1", [clientId]);
}
