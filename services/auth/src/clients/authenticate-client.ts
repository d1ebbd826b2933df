import { equalSecrets, hashSecret } from "@lango/tokens";
import { oauthFailures } from "../failures.ts";
import type { Client } from "./client.ts";
import type { ClientDirectory } from "./client-directory.ts";

/**
 * The client credentials in a request to an OAuth endpoint: in the header (RFC 6749 §2.3.1) or in the body.
 */
export type ClientCredentials = {
	authorization: string | undefined;
	clientId: string | undefined;
	clientSecret: string | undefined;
};

/**
 * Identifies the client of a request. A confidential client authenticates with its secret in the header or
 * the body, never in both; a public client only sends its id. Throws `invalid_client` (401, with the scheme
 * the header may use).
 */
export async function authenticateClient(
	clients: ClientDirectory,
	credentials: ClientCredentials,
): Promise<Client> {
	const { clientId, secret } = readCredentials(credentials);
	if (clientId === undefined)
		throw refuse("The request does not say which client it comes from (client_id).");
	const client = await clients.find(clientId);
	if (client === undefined) throw refuse();
	if (client.secretHash === null) {
		if (secret !== undefined && secret !== "") throw refuse();
		return client;
	}
	const given = hashSecret(secret ?? "");
	if (secret === undefined || !equalSecrets(given, client.secretHash)) throw refuse();
	return client;
}

/** Like `authenticateClient`, where naming a client is optional: undefined if the request names none. */
export async function authenticateNamedClient(
	clients: ClientDirectory,
	credentials: ClientCredentials,
): Promise<Client | undefined> {
	const { authorization, clientId, clientSecret } = credentials;
	const isNamed =
		clientId !== undefined || clientSecret !== undefined || /^Basic\b/i.test(authorization ?? "");
	return isNamed ? authenticateClient(clients, credentials) : undefined;
}

/** A confidential client did not authenticate, or another client than the session's did. */
export const proofMissing = () =>
	refuse("The client of this session must authenticate with its client_id and client_secret.");

const refuse = (message?: string) =>
	oauthFailures.invalid_client({
		headers: { "www-authenticate": 'Basic realm="lango", charset="UTF-8"' },
		...(message !== undefined && { message }),
	});

function readCredentials({ authorization, clientId, clientSecret }: ClientCredentials) {
	const encoded = /^Basic ([A-Za-z0-9+/]+=*)$/i.exec(authorization ?? "")?.[1];
	if (encoded === undefined && /^Basic\b/i.test(authorization ?? ""))
		throw refuse("The Authorization header cannot be read.");
	if (encoded === undefined) return { clientId, secret: clientSecret };
	const [id = "", ...rest] = Buffer.from(encoded, "base64").toString("utf8").split(":");
	const named = decoded(id);
	if (clientSecret !== undefined || (clientId !== undefined && clientId !== named))
		throw oauthFailures.invalid_request({
			message: "The client must authenticate once: in the header or in the body, not in both.",
		});
	return { clientId: named, secret: decoded(rest.join(":")) };
}

/**
 * Identifiers in the header are form-encoded (RFC 6749 §2.3.1). A text that is not stays unchanged and does
 * not match.
 */
function decoded(text: string): string {
	try {
		return decodeURIComponent(text.replaceAll("+", " "));
	} catch {
		return text;
	}
}
