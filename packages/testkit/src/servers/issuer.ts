import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import {
	type AccessTokenClaims,
	apiScope,
	type PublicOutlet,
	type PublicTenant,
	permissionsOf,
	type Recipient,
} from "@lango/contracts";
import { generateSigningKey, publicJwk, type SigningKey, signJwt } from "@lango/tokens";

/**
 * A test double of the sign-on service: publishes a real key set, signs real tokens, and serves the given
 * tenants.
 */
export type TestIssuer = {
	url: string;
	/** The number of requests by path. */
	asked: Map<string, number>;
	tenants: PublicTenant[];
	/** Outlets by the slug of their tenant. A missing tenant has none. */
	outlets: Map<string, PublicOutlet[]>;
	/** Links in mails by their id. */
	links: Map<string, string>;
	/** People by the id of their tenant, as the route `recipients` lists them. A missing tenant has none. */
	recipients: Map<string, Recipient[]>;
	/**
	 * Returns an access token of a person at a first-party client, valid unless `claims` make it invalid; with
	 * `idtyp: "app"` a program's own token. It has an outlet scope, like every token of the sign-on service,
	 * unless `outlet_scope` is undefined.
	 */
	token(claims?: TestClaims, options?: { key?: SigningKey; typ?: string }): string;
	/** Signs with a new key from now on and publishes both keys. */
	rotate(): Promise<void>;
	/** If set, every request is answered with this status. */
	brokenWith: number | undefined;
	close(): Promise<void>;
};

/** Claims of a token. Undefined removes a claim. */
export type TestClaims = { [Name in keyof AccessTokenClaims]?: AccessTokenClaims[Name] | undefined };

/**
 * Starts an issuer on a free port. Routes: the key set, tenants by slug and by id, their people, links of
 * mails.
 */
export async function startTestIssuer({
	now = () => new Date(),
	audience = "lango",
} = {}): Promise<TestIssuer> {
	const keys = [await generateSigningKey("ES256")];
	const asked = new Map<string, number>();
	const tenants: PublicTenant[] = [];
	const outlets = new Map<string, PublicOutlet[]>();
	const links = new Map<string, string>();
	const recipients = new Map<string, Recipient[]>();
	const server = createServer((request, response) => {
		const path = request.url ?? "/";
		const missing = path.startsWith("/api/v1/tenants/") ? "tenant_not_found" : "not_found";
		asked.set(path, (asked.get(path) ?? 0) + 1);
		const found =
			issuer.brokenWith === undefined
				? answer(path, { keys, tenants, outlets, links, recipients })
				: undefined;
		response.writeHead(issuer.brokenWith ?? (found === undefined ? 404 : 200), {
			"content-type": "application/json",
		});
		response.end(JSON.stringify(found ?? { error: "not found", code: missing }));
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

	const issuer: TestIssuer = {
		url,
		asked,
		tenants,
		outlets,
		links,
		recipients,
		brokenWith: undefined,
		token(claims = {}, { key, typ = "at+jwt" } = {}) {
			const iat = Math.floor(now().getTime() / 1_000);
			const roles = claims.roles ?? [];
			const standard = {
				iss: url,
				aud: audience,
				sub: randomUUID(),
				client_id: "test",
				idtyp: "user",
				scope: `openid ${apiScope}`,
				jti: randomUUID(),
				iat,
				exp: iat + 21_600,
			};
			const signing = key ?? keys.at(-1);
			if (signing === undefined) throw new Error("the issuer has no key");
			const scope = outletScopeOf(claims, outlets);
			// The rule of the sign-on service for these roles (`is_hq_user` in its database).
			const isHq = roles.includes("admin") || roles.includes("superuser");
			const hq = isHq ? { is_hq_user: true } : {};
			return signJwt(signing, typ, {
				...standard,
				permissions: permissionsOf(roles),
				...hq,
				...scope,
				...claims,
			});
		},
		async rotate() {
			keys.push(await generateSigningKey("ES256"));
		},
		close: () =>
			new Promise((resolve) => {
				server.close(() => resolve());
				server.closeAllConnections();
			}),
	};
	return issuer;
}

/** The default outlet scope of a token, derived from its other claims. */
function outletScopeOf(
	{ idtyp, is_hq_user, outlet_id, tenant_slug = "" }: TestClaims,
	outlets: TestIssuer["outlets"],
): Pick<AccessTokenClaims, "outlet_scope" | "outlet_ids"> {
	if (idtyp === "app" || is_hq_user === true) return { outlet_scope: "all" };
	if (outlet_id !== undefined && outlet_id !== "") return { outlet_scope: "selected" };
	const hasOutlets = outlets.get(tenant_slug)?.some(({ status }) => status === "active") === true;
	return hasOutlets ? { outlet_scope: "unselected", outlet_ids: [] } : { outlet_scope: "all" };
}

type Published = Pick<TestIssuer, "tenants" | "outlets" | "links" | "recipients"> & {
	keys: readonly SigningKey[];
};

function answer(path: string, { keys, tenants, outlets, links, recipients }: Published): unknown {
	if (path === "/.well-known/jwks.json") return { keys: keys.map(publicJwk) };
	const [, link = ""] = /^\/api\/v1\/auth\/links\/([\w-]+)$/.exec(path) ?? [];
	if (links.has(link)) return { url: links.get(link) };
	const asked = /^\/api\/v1\/tenants\/([\w-]+)\/recipients\?role=(\w+)/.exec(path);
	if (asked !== null) return peopleOf(asked, { tenants, recipients });
	const [, owner] = /^\/api\/v1\/tenants\/([\w-]+)\/(?:outlets|outlet-settings)$/.exec(path) ?? [];
	if (owner !== undefined)
		return tenants.some(({ slug }) => slug === owner) ? (outlets.get(owner) ?? []) : undefined;
	const [, kind, name] = /^\/api\/v1\/tenants\/(by-slug\/)?([\w-]+)$/.exec(path) ?? [];
	return tenants.find(({ slug, id, status }) =>
		kind === undefined ? id === name : slug === name && status !== "deleted",
	);
}

function peopleOf(
	[, of = "", role = ""]: readonly string[],
	{ tenants, recipients }: Pick<Published, "tenants" | "recipients">,
): unknown {
	if (!tenants.some(({ id }) => id === of)) return undefined;
	const items = (recipients.get(of) ?? []).filter(({ roles }) => roles.includes(role));
	return { items, next_cursor: null };
}

/** A tenant with a new id, as served by the sign-on service. */
export function testTenant(slug: string, more: Partial<PublicTenant> = {}): PublicTenant {
	const standard = {
		branding: { logo_url: null, colour: null },
		time_zone: "Africa/Nairobi",
		currency: "KES",
		locale: "en-KE",
	};
	return { id: randomUUID(), name: slug, slug, status: "active", ...standard, ...more };
}
