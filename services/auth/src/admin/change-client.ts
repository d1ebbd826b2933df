import { type AdminClient, apiScope, type ClientChange, type NewClient } from "@lango/contracts";
import { violatedConstraint } from "@lango/postgres";
import { hashSecret, mintSecret } from "@lango/tokens";
import { recordAudit } from "../audit/audit.store.ts";
import type { Origin } from "../audit/origin.ts";
import { findClient } from "../clients/client.store.ts";
import type { Client } from "../clients/client.ts";
import { requireSafe } from "../clients/client-rules.ts";
import { builtInClients } from "../clients/client-seed.ts";
import type { Dependencies } from "../dependencies.ts";
import { failures } from "../failures.ts";
import { endClientSessions } from "../sessions/logout/end-user-sessions.ts";
import {
	changeClientRow,
	findAdminClient,
	lockClient,
	recordClient,
	removeClientRow,
} from "./client-admin.store.ts";

const because = "access_removed";

type Needs = Pick<Dependencies, "db" | "clients">;
/** The client, and its secret if a new one was generated: shown only once and stored as a hash. */
export type WithSecret = AdminClient & { client_secret?: string };

/** Registers a client. Throws `client_taken`, and `invalid_input` naming the field. */
export async function registerClient(
	{ db, clients }: Needs,
	asked: NewClient,
	origin: Origin,
): Promise<WithSecret> {
	const secret = asked.public ? asked.client_secret : (asked.client_secret ?? mintSecret());
	const client = {
		clientId: asked.client_id,
		name: asked.name.trim(),
		redirectUris: asked.redirect_uris,
		postLogoutRedirectUris: asked.post_logout_redirect_uris ?? [],
		scopes: asked.scopes,
		isPublic: asked.public,
		secretHash: secret === undefined ? null : hashSecret(secret),
		isPkceRequired: asked.pkce_required ?? true,
		idTokenAlgorithm: asked.id_token_algorithm ?? "RS256",
		isIdTokenAtRefresh: asked.id_token_at_refresh ?? true,
		isFirstParty: asked.first_party ?? false,
	} as const;
	requireSafe({ ...client, hasSecret: secret !== undefined });
	try {
		const made = await db.transaction(async (tx) => {
			const row = await recordClient(tx, client);
			await recordAudit(tx, origin, { action: "client.registered", subject: row.client_id, after: row });
			return row;
		});
		clients.clear();
		return { ...made, ...(secret !== undefined && { client_secret: secret }) };
	} catch (error) {
		if (violatedConstraint(error) === "clients__client_id_unique")
			throw failures.client_taken({ fields: { field: "client_id", in: "body" } });
		throw error;
	}
}

/**
 * Changes the named members and keeps the others. If the client loses authority (`first_party`, the scope
 * `lango.api`), its sessions end, and with them the tokens already issued. Other scopes that it loses are
 * missing from the next token (`scopeNow`). Throws `client_not_found`, and `invalid_input` naming the
 * field.
 */
export async function changeClient(
	{ db, clients }: Needs,
	{ clientId, change }: { clientId: string; change: ClientChange },
	origin: Origin,
): Promise<WithSecret> {
	const secret = change.client_secret ?? (change.new_secret === true ? mintSecret() : undefined);
	const changed = await db.transaction(async (tx) => {
		await lockClient(tx, clientId);
		const [client, before] = [await findClient(tx, clientId), await findAdminClient(tx, clientId)];
		if (client === undefined || before === undefined) throw failures.client_not_found();
		const next = withChange(client, change, secret);
		requireSafe({ ...next, hasSecret: secret !== undefined });
		if (losesAuthority(client, next)) await endClientSessions(tx, { id: client.id, because, origin });
		const after = await changeClientRow(tx, next);
		const audited = { ...after, ...(secret !== undefined && { has_new_secret: true }) };
		await recordAudit(tx, origin, { action: "client.changed", subject: clientId, before, after: audited });
		return after;
	});
	clients.clear();
	return { ...changed, ...(secret !== undefined && { client_secret: secret }) };
}

function withChange(client: Client, change: ClientChange, secret: string | undefined): Client {
	return {
		...client,
		name: change.name?.trim() ?? client.name,
		redirectUris: change.redirect_uris ?? client.redirectUris,
		postLogoutRedirectUris: change.post_logout_redirect_uris ?? client.postLogoutRedirectUris,
		scopes: change.scopes ?? client.scopes,
		secretHash: secret === undefined ? client.secretHash : hashSecret(secret),
		isPkceRequired: change.pkce_required ?? client.isPkceRequired,
		idTokenAlgorithm: change.id_token_algorithm ?? client.idTokenAlgorithm,
		isIdTokenAtRefresh: change.id_token_at_refresh ?? client.isIdTokenAtRefresh,
		isFirstParty: change.first_party ?? client.isFirstParty,
	};
}

type Authority = Pick<Client, "isFirstParty" | "scopes">;

/**
 * Whether tokens already issued carry more authority than the client has now. Tokens of a first-party
 * client carry `lango.api` and all claims without a grant, so they count also if the client keeps the
 * scope.
 */
function losesAuthority(before: Authority, after: Authority): boolean {
	if (after.isFirstParty) return false;
	return before.isFirstParty || (before.scopes.includes(apiScope) && !after.scopes.includes(apiScope));
}

/**
 * Removes a client and ends its sessions. Throws `client_not_found`, and `client_built_in` for a client of
 * the platform.
 */
export async function removeClient({ db, clients }: Needs, clientId: string, origin: Origin): Promise<void> {
	if (builtInClients.has(clientId)) throw failures.client_built_in();
	await db.transaction(async (tx) => {
		const id = await lockClient(tx, clientId);
		const before = await findAdminClient(tx, clientId);
		if (id === undefined || before === undefined) throw failures.client_not_found();
		await endClientSessions(tx, { id, because, origin });
		await removeClientRow(tx, clientId);
		await recordAudit(tx, origin, { action: "client.removed", subject: clientId, before });
	});
	clients.clear();
}
