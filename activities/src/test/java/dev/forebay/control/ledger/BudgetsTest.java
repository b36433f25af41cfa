package dev.forebay.control.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.time.LocalDate;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BudgetsTest {

    @ParameterizedTest
    @CsvSource({"0, 0, true", "0.5, 0.49, false", "0.5, 0.50, true", "0.5, 0.51, true"})
    void aBudgetIsSpentWhenTheCostsReachIt(BigDecimal budget, BigDecimal spent, boolean isSpent) {
        LocalDate month = LocalDate.of(2026, 11, 1);

        assertThat(new Budgets.Budget("team", month, budget, spent).isSpent()).isEqualTo(isSpent);
    }
}
