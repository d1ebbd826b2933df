import type { CookieSerializeOptions } from "@fastify/cookie";

type Reads = { cookies: Record<string, string | undefined> };
type Writes = {
	setCookie(name: string, value: string, options: CookieSerializeOptions): unknown;
	clearCookie(name: string, options: CookieSerializeOptions): unknown;
};

/** `maxAge` in seconds. */
type CookieOptions = { name: string; maxAge: number; isDeveloping: boolean };

/**
 * A cookie of the issuer: `Secure` and bound to the host by its prefix. Only in development, an issuer on
 * plain http has one under a plain name that is not `Secure`.
 */
export function issuerCookie(issuer: string, { name: plain, maxAge, isDeveloping }: CookieOptions) {
	const secure = !isDeveloping || issuer.startsWith("https:");
	const name = secure ? `__Host-${plain}` : plain;
	const options = { path: "/", httpOnly: true, sameSite: "lax", secure } as const;
	return {
		read: ({ cookies }: Reads): string | undefined => cookies[name],
		write: (reply: Writes, value: string) => void reply.setCookie(name, value, { ...options, maxAge }),
		clear: (reply: Writes) => void reply.clearCookie(name, options),
	};
}

export type IssuerCookie = ReturnType<typeof issuerCookie>;
