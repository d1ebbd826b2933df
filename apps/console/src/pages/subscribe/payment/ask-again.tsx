import { Button } from "@lango/interface";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Fault } from "../../../notices/fault.tsx";
import { showToast } from "../../../notices/toast.ts";
import { usePlatform } from "../../../session/platform.ts";
import { subscriptionAddress } from "../subscribe.queries.ts";
import { useSubscribeTexts } from "../texts.ts";
import type { Desk } from "../use-subscription-desk.ts";
import { usePaymentTexts } from "./texts.ts";

/** Asks again for a payment that is open. It is the same one, so it is paid once however often it is asked for. */
export function AskAgain({ plan, desk, label }: { plan: string; desk: Desk; label: string }) {
	const platform = usePlatform();
	const queries = useQueryClient();
	const words = usePaymentTexts();
	const { refused } = useSubscribeTexts();
	const ask = useMutation({
		mutationFn: () =>
			platform.client.call(subscriptionAddress(platform, desk.tenantId, "/checkout"), {
				method: "POST",
				body: { plan },
			}),
		onSuccess: async () => {
			await queries.invalidateQueries({ queryKey: ["payment", desk.tenantId] });
			showToast("done", words.askedAgain);
		},
	});
	return (
		<div className="grid gap-3">
			<Button busyText={ask.isPending ? words.asking : undefined} onClick={() => ask.mutate()}>
				{label}
			</Button>
			<Fault error={ask.error} own={refused} />
		</div>
	);
}
