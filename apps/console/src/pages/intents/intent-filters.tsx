import { FilterBar } from "../../lists/filter-bar.tsx";
import type { AddressFilter } from "../../lists/use-address-filter.ts";
import { intentStatuses } from "../payments/intent-status.tsx";
import { usePayingTexts } from "../payments/texts.ts";
import type { IntentFilterName } from "./filter-names.ts";
import { useIntentTexts } from "./texts.ts";

const uuid = "[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}";

/** The filters of the list of payments. */
export function IntentFilters({ filters }: { filters: AddressFilter<IntentFilterName> }) {
	const words = useIntentTexts();
	const { statuses, status } = usePayingTexts();
	return (
		<FilterBar
			filters={filters}
			fields={[
				{
					...{ kind: "select", name: "status", label: status },
					options: intentStatuses.map((value) => [value, statuses[value]]),
				},
				{ kind: "day", name: "from", label: words.from },
				{ kind: "day", name: "to", label: words.to },
				{ kind: "text", name: "order_id", label: words.order },
				{
					...{ kind: "text", name: "operation_id", label: words.operation },
					...{ pattern: uuid, invalid: words.operationInvalid },
				},
			]}
		/>
	);
}
