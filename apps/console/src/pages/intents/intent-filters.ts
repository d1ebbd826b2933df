import { choiceOf, type FilterField } from "../../lists/filter-bar.tsx";
import { intentStatuses } from "../payments/intent-status.tsx";
import { usePayingTexts } from "../payments/texts.ts";
import { useIntentTexts } from "./texts.ts";

const uuid = "[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}";

/** The filters of the list of payments. */
export function useIntentFilters(): FilterField[] {
	const words = useIntentTexts();
	const { statuses, status } = usePayingTexts();
	return [
		choiceOf("status", status, [intentStatuses, statuses]),
		{ kind: "day", name: "from", label: words.from },
		{ kind: "day", name: "to", label: words.to },
		{ kind: "text", name: "order_id", label: words.order },
		{
			...{ kind: "text", name: "operation_id", label: words.operation },
			...{ pattern: uuid, invalid: words.operationInvalid },
		},
	];
}
