import { Button } from "@lango/interface";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { ErrorNotice } from "../../../notices/error-notice.tsx";
import { showToast } from "../../../notices/toast.ts";
import { usePlatform } from "../../../platform.ts";
import { subscriptionAddress } from "../../../subscription/subscription.queries.ts";
import { useSubscribeTexts } from "../../../subscription/texts.ts";
import type { SubscriptionContext } from "../../../subscription/use-subscription-context.ts";
import { usePaymentTexts } from "./texts.ts";

/** Asks again for a payment that is open. It is the same one, so it is paid once however often it is asked for. */
export function AskAgain({
	plan,
	context,
	label,
}: {
	plan: string;
	context: SubscriptionContext;
	label: string;
}) {
	const platform = usePlatform();
	const queries = useQueryClient();
	const words = usePaymentTexts();
	const { refused } = useSubscribeTexts();
	const ask = useMutation({
		mutationFn: () =>
			platform.client.call(subscriptionAddress(platform, context.tenantId, "/checkout"), {
				method: "POST",
				body: { plan },
			}),
		onSuccess: async () => {
			await queries.invalidateQueries({ queryKey: ["payment", context.tenantId] });
			showToast("done", words.askedAgain);
		},
	});
	return (
		<div className="grid gap-3">
			<Button busyText={ask.isPending ? words.asking : undefined} onClick={() => ask.mutate()}>
				{label}
			</Button>
			<ErrorNotice error={ask.error} messages={refused} />
		</div>
	);
}
