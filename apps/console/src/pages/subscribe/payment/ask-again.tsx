import { Button } from "@lango/interface";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { ErrorNotice } from "../../../notices/error-notice.tsx";
import { showToast } from "../../../notices/toast.ts";
import { usePlatform } from "../../../platform.ts";
import { subscriptionAddress } from "../../../subscription/subscription.queries.ts";
import { useSubscribeTexts } from "../../../subscription/texts.ts";
import type { SubscriptionContext } from "../../../subscription/use-subscription-context.ts";
import { usePaymentTexts } from "./texts.ts";

/** Requests an open payment again. It is the same payment, so it is paid at most once. */
export function RequestAgain({
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
	const { errors } = useSubscribeTexts();
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
			<ErrorNotice error={ask.error} messages={errors} />
		</div>
	);
}
