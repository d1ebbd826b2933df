import type { CookieSerializeOptions } from "@fastify/cookie";

type Reads = { cookies: Record<string, string | undefined> };
type Writes = {
	setCookie(name: string, value: string, options: CookieSerializeOptions): unknown;
	clearCookie(name: string, options: CookieSerializeOptions): unknown;
};

/** A cookie of the issuer's: bound to the host by its prefix over TLS, under a plain name on plain http in development. */
export function issuerCookie(issuer: string, { name: plain, maxAge }: { name: string; maxAge: number }) {
	const secure = issuer.startsWith("https:");
	const name = secure ? `__Host-${plain}` : plain;
	const options = { path: "/", httpOnly: true, sameSite: "lax", secure } as const;
	return {
		read: ({ cookies }: Reads): string | undefined => cookies[name],
		write: (reply: Writes, value: string) => void reply.setCookie(name, value, { ...options, maxAge }),
		clear: (reply: Writes) => void reply.clearCookie(name, options),
	};
}

export type IssuerCookie = ReturnType<typeof issuerCookie>;
