import { textOf } from "../../forms/form-data.ts";
import { errorsOf, type InputError } from "../../forms/rules.ts";

type Messages = { url_refused: string; certificate_invalid: string };

/**
 * Finds the fields that the treasury would refuse, as far as the page can know: it alone knows whether an
 * address is public, and reads the certificate.
 */
export function checkGateway(entered: FormData, messages: Messages): readonly InputError[] {
	const address = textOf(entered, "base_url");
	const certificate = textOf(entered, "certificate");
	const isProduction = textOf(entered, "environment") === "production";
	return errorsOf([
		[address !== "" && !isAddress(address, isProduction), "base_url", messages.url_refused],
		[certificate !== "" && !isPem(certificate), "certificate", messages.certificate_invalid],
	]);
}

/** The rules of services/treasury/src/gateways/configuration: `BaseUrl`, and `requireUrl` of a change. */
function isAddress(text: string, isProduction: boolean): boolean {
	if (!URL.canParse(text)) return false;
	const { username, search, hash, protocol, hostname } = new URL(text);
	if (username !== "" || search !== "" || hash !== "") return false;
	if (isProduction) return protocol === "https:" && hostname !== "localhost";
	return ["http:", "https:"].includes(protocol);
}

const isPem = (text: string) => /-----BEGIN [^-]+-----[\s\S]+-----END [^-]+-----/.test(text);
