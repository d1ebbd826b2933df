/**
 * The peer: oidc-provider, configured like the sign-on service: JWT access tokens (ES256) by a default
 * resource, RS256 ID tokens, PKCE, rotating refresh tokens, every record in PostgreSQL, automatic consent,
 * sign-in by an interaction without a page. It omits what it may omit: no logs, no pages, clients in memory,
 * no check of the session when a refresh token is used.
 */
import { exportJWK, generateKeyPair } from "jose";
import { Provider } from "oidc-provider";
import pg from "pg";
import { findPerson, prepareRecords, recordsIn } from "./oidc-provider.store.ts";
import { client } from "./person.ts";

const { PORT, ISSUER = "", DATABASE_URL, DATABASE_CONNECTIONS, PEOPLE, ID_TOKEN_ALG } = process.env;
const resource = "urn:lango";
const resourceScope = "catalog:view orders:read";

const pool = new pg.Pool({ connectionString: DATABASE_URL, max: Number(DATABASE_CONNECTIONS) });
await prepareRecords(pool, Number(PEOPLE));

const provider = new Provider(ISSUER, {
	adapter: recordsIn(pool),
	jwks: { keys: [await newKey("ES256"), await newKey("RS256")] },
	clients: [
		{
			client_id: client.id,
			redirect_uris: [client.redirectUri],
			token_endpoint_auth_method: "none",
			grant_types: ["authorization_code", "refresh_token"],
			response_types: ["code"],
			application_type: "web",
			id_token_signed_response_alg: ID_TOKEN_ALG === "ES256" ? "ES256" : "RS256",
		},
	],
	cookies: { keys: ["bench"] },
	claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"] },
	conformIdTokenClaims: false,
	async findAccount(_, id) {
		const person = await findPerson(pool, id);
		if (person === undefined) return undefined;
		const { email, name, claims } = person;
		return {
			accountId: id,
			tokenClaims: claims,
			claims: () => ({ sub: id, email, email_verified: true, name }),
		};
	},
	extraTokenClaims: (ctx) => ctx.oidc.entities.Account?.["tokenClaims"] as Record<string, unknown>,
	pkce: { required: () => true },
	issueRefreshToken: (_, asking) => asking.grantTypeAllowed("refresh_token"),
	expiresWithSession: () => false,
	rotateRefreshToken: true,
	async loadExistingGrant({ oidc }) {
		const known = oidc.session?.grantIdFor(client.id);
		if (known !== undefined) return oidc.provider.Grant.find(known);
		const grant = new oidc.provider.Grant({ clientId: client.id, accountId: oidc.session?.accountId ?? "" });
		grant.addOIDCScope(client.scope);
		grant.addResourceScope(resource, resourceScope);
		await grant.save();
		return grant;
	},
	interactions: { url: (_, { uid }) => `/interaction/${uid}` },
	features: {
		devInteractions: { enabled: false },
		resourceIndicators: {
			enabled: true,
			defaultResource: () => resource,
			useGrantedResource: () => true,
			getResourceServerInfo: () => ({
				scope: resourceScope,
				audience: "lango",
				accessTokenFormat: "jwt",
				accessTokenTTL: 6 * 3_600,
				jwt: { sign: { alg: "ES256" } },
			}),
		},
	},
	ttl: {
		AuthorizationCode: 60,
		IdToken: 3_600,
		RefreshToken: 30 * 86_400,
		Session: 14 * 86_400,
		Grant: 90 * 86_400,
	},
});

/** Signs in the person of the login_hint. */
provider.use(async (ctx, next) => {
	if (!ctx.path.startsWith("/interaction/")) return next();
	const { params } = await provider.interactionDetails(ctx.req, ctx.res);
	const login = { accountId: String(params["login_hint"]), amr: ["pwd"] };
	await provider.interactionFinished(ctx.req, ctx.res, { login }, { mergeWithLastSubmission: false });
	ctx.respond = false;
});

const server = provider.listen(Number(PORT), "localhost");
server.keepAliveTimeout = 72_000;
process.on("SIGTERM", () => process.exit(0));

async function newKey(alg: "ES256" | "RS256") {
	const { privateKey } = await generateKeyPair(alg, { extractable: true });
	return { ...(await exportJWK(privateKey)), alg, use: "sig", kid: `bench-${alg}` };
}
