import type { CookieSerializeOptions } from "@fastify/cookie";
import { browserLifeSeconds } from "./browser-session.store.ts";

type Reads = { cookies: Record<string, string | undefined> };
type Writes = {
	setCookie(name: string, value: string, options: CookieSerializeOptions): unknown;
	clearCookie(name: string, options: CookieSerializeOptions): unknown;
};

/** The session cookie of an issuer: bound to the host by its prefix over TLS, under a plain name on plain http in development. */
export function sessionCookie(issuer: string) {
	const secure = issuer.startsWith("https:");
	const name = secure ? "__Host-lango" : "lango";
	const options = { path: "/", httpOnly: true, sameSite: "lax", secure } as const;
	return {
		read: ({ cookies }: Reads): string | undefined => cookies[name],
		write: (reply: Writes, value: string) =>
			void reply.setCookie(name, value, { ...options, maxAge: browserLifeSeconds }),
		clear: (reply: Writes) => void reply.clearCookie(name, options),
	};
}
