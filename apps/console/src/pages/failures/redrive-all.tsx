import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { ConfirmButton } from "../../dialogs/confirm-button.tsx";
import { showToast } from "../../notices/toast.ts";
import { usePlatform } from "../../platform.ts";
import { type FailureKind, failuresKey, redriveAll, type Service } from "./failure.queries.ts";
import { useFailureTexts } from "./texts.ts";

/** Retries all items of a list in order and shows the progress. */
export function RedriveAll({ service, kind }: { service: Service; kind: FailureKind }) {
	const platform = usePlatform();
	const queries = useQueryClient();
	const words = useFailureTexts();
	const [progress, setProgress] = useState<{ done: number; all: number }>();
	const action = async () => {
		const count = await redriveAll(platform, { service, kind }, (done, all) => setProgress({ done, all }));
		showToast("done", words.allRedriven(count));
	};
	return (
		<ConfirmButton
			texts={{
				...words.redriveAll,
				labelOf: () => words.redriveAll.labels[kind],
				busy: progress === undefined ? words.redrive.busy : words.progress(progress.done, progress.all),
			}}
			action={() =>
				action().finally(() => {
					setProgress(undefined);
					return queries.invalidateQueries({ queryKey: failuresKey(service.name) });
				})
			}
		/>
	);
}
