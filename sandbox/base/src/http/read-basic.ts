import type { IncomingHttpHeaders } from "node:http";

/** Name and password of basic authentication (RFC 7617), or undefined. */
export function readBasic({ authorization }: IncomingHttpHeaders) {
	const [scheme, encoded = ""] = (authorization ?? "").split(" ");
	if (scheme?.toLowerCase() !== "basic") return undefined;
	const text = Buffer.from(encoded, "base64").toString("utf8");
	const colon = text.indexOf(":");
	return colon < 0 ? undefined : { name: text.slice(0, colon), password: text.slice(colon + 1) };
}
