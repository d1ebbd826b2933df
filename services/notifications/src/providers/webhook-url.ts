/** The public address of a provider's webhook, with its token. */
export const webhookUrlOf = ({
	publicUrl,
	id,
	webhookToken,
}: {
	publicUrl: string;
	id: string;
	webhookToken: string;
}): string => `${publicUrl.replace(/\/$/, "")}/webhooks/${id}?token=${encodeURIComponent(webhookToken)}`;
