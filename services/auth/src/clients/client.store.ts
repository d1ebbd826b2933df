import type { Database } from "@lango/postgres";
import type { Algorithm } from "@lango/tokens";
import type { Client } from "./client.ts";

type ClientRow = {
	id: string;
	client_id: string;
	name: string;
	redirect_uris: string[];
	post_logout_redirect_uris: string[];
	scopes: string[];
	public: boolean;
	secret_hash: Buffer | null;
	pkce_required: boolean;
	id_token_algorithm: Algorithm;
	id_token_at_refresh: boolean;
	first_party: boolean;
};

/** A client by its public identifier. */
export async function findClient(db: Database, clientId: string): Promise<Client | undefined> {
	const [row] = await db.query<ClientRow>(
		`select id, client_id, name, redirect_uris, post_logout_redirect_uris, scopes, public, secret_hash, pkce_required, id_token_algorithm,
		   id_token_at_refresh, first_party
		   from clients where client_id = $1`,
		[clientId],
	);
	return row && fromRow(row);
}

/**
 * Lists all redirect addresses of clients. Their origins may send cross-origin requests and be targets of a
 * sign-out. Bounded.
 */
export async function listRedirectUris(db: Database): Promise<string[]> {
	const rows = await db.query<{ uri: string }>(
		"select distinct unnest(redirect_uris || post_logout_redirect_uris) as uri from clients limit 10000",
	);
	return rows.map(({ uri }) => uri);
}

/** Inserts a client of the seed or overwrites it; its row id stays. */
export async function upsertClient(db: Database, client: Omit<Client, "id">): Promise<void> {
	await db.query(
		`insert into clients (client_id, name, redirect_uris, post_logout_redirect_uris, scopes, public, secret_hash, pkce_required,
		   id_token_algorithm, id_token_at_refresh, first_party)
		 values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
		 on conflict (client_id) do update set name = excluded.name, redirect_uris = excluded.redirect_uris,
		   post_logout_redirect_uris = excluded.post_logout_redirect_uris, scopes = excluded.scopes, public = excluded.public,
		   secret_hash = excluded.secret_hash, pkce_required = excluded.pkce_required, id_token_algorithm = excluded.id_token_algorithm,
		   id_token_at_refresh = excluded.id_token_at_refresh, first_party = excluded.first_party`,
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
}

function fromRow(row: ClientRow): Client {
	return {
		id: row.id,
		clientId: row.client_id,
		name: row.name,
		redirectUris: row.redirect_uris,
		postLogoutRedirectUris: row.post_logout_redirect_uris,
		scopes: row.scopes,
		isPublic: row.public,
		secretHash: row.secret_hash,
		isPkceRequired: row.pkce_required,
		idTokenAlgorithm: row.id_token_algorithm,
		isIdTokenAtRefresh: row.id_token_at_refresh,
		isFirstParty: row.first_party,
	};
}
