import { type Answer, textOf } from "../calls/answer.ts";
import { type CardGateway, dataOf, toGatewayAmount } from "./account.ts";

/** A page of the gateway where anybody pays. */
export type NewPage = {
	name: string;
	description: string;
	/** Undefined: the payer chooses it. */
	amountMinor: bigint | undefined;
	currency: string;
	metadata: Readonly<Record<string, string>>;
};

/** Creates a page. Some answers have its link, others only the last segment of it. */
export const createPage = (
	gateway: CardGateway,
	{ amountMinor, ...page }: NewPage,
): Promise<Answer<{ id: string | undefined; link: string | undefined; slug: string | undefined }>> =>
	gateway.send(
		{
			...{ operation: "create-page", path: "/page" },
			json: { ...page, ...(amountMinor !== undefined && { amount: toGatewayAmount(amountMinor) }) },
		},
		(body) => {
			const data = dataOf(body);
			const [id, link, slug] = [textOf(data, "id"), textOf(data, "link"), textOf(data, "slug")];
			return link === undefined && slug === undefined ? undefined : { id, link, slug };
		},
	);
