import { constants, createPublicKey, publicEncrypt } from "node:crypto";

/**
 * Encrypts the password of an initiator with the gateway's certificate or public key in PEM (RSA, PKCS#1
 * v1.5), as base64 (payments text §4.3).
 */
export const encryptPassword = (certificate: string, password: string): string =>
	publicEncrypt(
		{ key: createPublicKey(certificate), padding: constants.RSA_PKCS1_PADDING },
		Buffer.from(password),
	).toString("base64");
