/** The public address of a provider's webhook, with its token. `publicUrl` has no trailing slash. */
export const webhookUrlOf = ({
	publicUrl,
	id,
	webhookToken,
}: {
	publicUrl: string;
	id: string;
	webhookToken: string;
}): string => `${publicUrl}/webhooks/${id}?token=${encodeURIComponent(webhookToken)}`;
