import { Button } from "@lango/interface";
import { useMutation } from "@tanstack/react-query";
import { ErrorNotice } from "../../notices/error-notice.tsx";
import { useReload } from "../../notices/use-reload.ts";
import { usePlatform } from "../../platform.ts";
import type { ServiceScope } from "../../services/service-access.queries.ts";
import { intentsKey, refreshIntent } from "./intent.queries.ts";
import { useIntentTexts } from "./texts.ts";

/** A button that asks the gateways what became of the attempts to pay an intent. */
export function RefreshButton({ scope, id }: { scope: ServiceScope; id: string }) {
	const platform = usePlatform();
	const { refresh: words, errors } = useIntentTexts();
	const reload = useReload(intentsKey(scope));
	const ask = useMutation({
		mutationFn: () => refreshIntent(platform, { scope, id }),
		onSuccess: () => reload(words.done),
	});
	return (
		<div className="mt-4 grid justify-items-start gap-3">
			<Button busyText={ask.isPending ? words.busy : undefined} onClick={() => ask.mutate()}>
				{words.label}
			</Button>
			<ErrorNotice error={ask.error} messages={errors} />
		</div>
	);
}
