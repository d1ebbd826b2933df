import Type from "typebox";
import Value from "typebox/value";
import type { MailLinks } from "../mail-link.ts";
import { askSignOn, type SignOnAddress } from "../recipients/ask-sign-on.ts";
import { isLink } from "../template.ts";

const MailLink = Type.Object({ url: Type.String() });
const NotFound = Type.Object({ code: Type.Literal("link_not_found") });

type Options = SignOnAddress & { allowHttp: boolean };

/** Creates the client. Links stay in memory: they are neither cached nor logged. */
export function createMailLinks({ allowHttp, ...address }: Options): MailLinks {
	return {
		async find(linkId) {
			const { status, body } = await askSignOn(address, `/api/v1/auth/links/${linkId}`);
			// The 404 of a proxy does not mean that the link is gone.
			if (status === 404 && Value.Check(NotFound, body)) return { is: "gone" };
			const isFound = status === 200 && Value.Check(MailLink, body) && isLink(body.url, allowHttp);
			if (isFound) return { is: "found", url: body.url };
			return { is: "unavailable", code: status === 0 ? "auth_unreachable" : `auth_${status}` };
		},
	};
}
