import { randomUUID } from "node:crypto";
import type { AccessTokenClaims, PublicTenant } from "@lango/contracts";
import { type Answer, openStand, type Stand } from "@lango/testkit";
import { buildService } from "../src/index.ts";
import { defineBakery } from "./bakery.ts";

/** The bakery among four tenants, with short words for what tests of access do there. */
export type Floor = Stand & {
	/** Asks under the service's base, in the tenant `uhai` unless another is named. */
	ask(method: string, path: string, more?: Asking): Promise<Answer>;
	/** A person of uhai in a global role, that the service knows. */
	meet(
		role: string,
		tenant?: PublicTenant,
		claims?: Partial<AccessTokenClaims>,
	): Promise<{ id: string; token: string }>;
};

type Asking = {
	token?: string;
	body?: object;
	at?: PublicTenant;
	headers?: Record<string, string>;
};

export async function openFloor(service = defineBakery(), now = () => new Date()): Promise<Floor> {
	const stand = await openStand({
		service,
		build: (built, options) => buildService(built, { ...options, now }),
	});
	const { uhai } = stand.tenants;
	const ask = (method: string, path: string, { token, body, at = uhai, headers }: Asking = {}) =>
		stand.call({ method, url: `/api/v1/${at.slug}/bakery${path}`, token, body, headers });
	return {
		...stand,
		ask,
		meet: async (role, tenant = uhai, claims = {}) => {
			const id = randomUUID();
			const token = stand.token(tenant, role, { sub: id, email: `${id}@x.example`, ...claims });
			await ask("GET", "/auth/me", { token, at: tenant });
			return { id, token };
		},
	};
}
