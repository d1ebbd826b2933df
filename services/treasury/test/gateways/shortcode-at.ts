import { generateKeyPairSync } from "node:crypto";
import { accepted } from "../../src/gateways/calls/answer.ts";
import { createCallGateway } from "../../src/gateways/calls/call-gateway.ts";
import {
	type MobileMoney,
	openMobileMoney,
	type Shortcode,
} from "../../src/gateways/mobile-money/account.ts";
import { mobileMoneyDefaults } from "../../src/gateways/profiles/profile.ts";

/** The key pair of the gateway in tests: it decrypts the passwords of initiators. */
export const gatewayKeys = generateKeyPairSync("rsa", { modulusLength: 2048 });

const now = new Date("2026-11-26T04:30:00Z");

/** A log that keeps its lines. */
export function keptLog() {
	const lines: string[] = [];
	const write = (about: object, text: string) => void lines.push(JSON.stringify({ ...about, text }));
	return { lines, log: { info: write, warn: write } as never };
}

/** A shortcode at a gateway of a test, with a token that is always valid. */
export function shortcodeAt(
	url: string,
	change: Partial<Shortcode> & { settings?: object; timeFactor?: number; log?: never } = {},
): MobileMoney {
	const { settings, timeFactor = 1, log = keptLog().log, ...shortcode } = change;
	const certificate = gatewayKeys.publicKey.export({ type: "spki", format: "pem" }).toString();
	const profile = {
		...{ id: "profile", environment: "sandbox" as const, baseUrl: url, certificate, version: 1 },
		settings: { ...mobileMoneyDefaults, per_second: 1_000, ...settings },
	};
	const call = createCallGateway({ log, isPublicOnly: false, timeFactor });
	const tokens = { get: async () => accepted({ token: "valid-token", generation: 1 }, {}) };
	return openMobileMoney(
		{ call, tokens, now: () => now },
		{
			...{ shortcode: "600100", kind: "paybill", accountReference: "UHAI", isActive: true },
			...{ initiator: { name: "uhai-api", password: "initiator-password" }, passkey: "a-passkey" },
			...shortcode,
			profile,
			keys: {
				...{ profile, credentialId: "credential", tenantId: undefined, perSecond: 1_000 },
				...{ consumerKey: "consumer", consumerSecret: "secret" },
			},
		},
	);
}
