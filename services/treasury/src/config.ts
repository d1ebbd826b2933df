import { keyEncryptionKeys, url } from "@lango/chassis";

/** The settings of the treasury, besides those of every domain service. */
export const settings = {
	publicBaseUrl: url({
		env: "HTTP_PUBLIC_BASE_URL",
		default: "http://localhost:4003",
		because:
			"the public address of the treasury: the addresses that gateways call begin with it (payments text §2.3)",
	}),
	keyEncryptionKeys: keyEncryptionKeys({
		because:
			"id:base64 of 32 bytes, separated by commas, newest first: they encrypt the credentials of gateways and the account numbers of recipients (docs/pages/operating.md, Rotating keys)",
	}),
};
